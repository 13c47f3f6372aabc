package rules

// codeEntries are the tags about identifiers, digests and codes that others define.
// maxLanguageTag is far more than any registered language tag has.
const maxLanguageTag = 255

func codeEntries() map[string]entry {
	return merge(uuidEntries(), map[string]entry{
		"ulid":                      {source: "^[0-7][A-HJKMNP-TV-Za-hjkmnp-tv-z0-9ſK]{25}$", says: "must be a ULID"},
		"md4":                       {source: "^[0-9a-f]{32}$", says: "must be an MD4 digest in hexadecimal"},
		"md5":                       {source: "^[0-9a-f]{32}$", says: "must be an MD5 digest in hexadecimal"},
		"sha256":                    {source: "^[0-9a-f]{64}$", says: "must be a SHA-256 digest in hexadecimal"},
		"sha384":                    {source: "^[0-9a-f]{96}$", says: "must be a SHA-384 digest in hexadecimal"},
		"sha512":                    {source: "^[0-9a-f]{128}$", says: "must be a SHA-512 digest in hexadecimal"},
		"ripemd128":                 {source: "^[0-9a-f]{32}$", says: "must be a RIPEMD-128 digest in hexadecimal"},
		"ripemd160":                 {source: "^[0-9a-f]{40}$", says: "must be a RIPEMD-160 digest in hexadecimal"},
		"tiger128":                  {source: "^[0-9a-f]{32}$", says: "must be a Tiger/128 digest in hexadecimal"},
		"tiger160":                  {source: "^[0-9a-f]{40}$", says: "must be a Tiger/160 digest in hexadecimal"},
		"tiger192":                  {source: "^[0-9a-f]{48}$", says: "must be a Tiger/192 digest in hexadecimal"},
		"mongodb":                   {source: "^[a-f0-9]{24}$", says: "must be a MongoDB object id"},
		"mongodb_connection_string": {source: `^mongodb(\+srv)?:\/\/(([a-zA-Z0-9]+):([a-zA-Z0-9$:\/?#\[\]@]+)@)?(` + mongoHost + `(:[0-9]+)?)((,(` + mongoHost + `(:([0-9]+))?))*)?(\/[a-zA-Z\-_]{1,64})?(\?(([a-zA-Z]+)=([a-zA-Z0-9]+))(&(([a-zA-Z0-9]+)=([a-zA-Z0-9]+))?)*)?$`, says: "must be a MongoDB connection string"},
		"cve":                       {source: "^CVE-(1999|2[0-9]{3})-(0[^0][0-9]{2}|0[0-9][^0][0-9]|0[0-9]{2}[^0]|[1-9][0-9]{3,})$", says: "must be a CVE identifier such as CVE-2021-44228"},
		"ssn":                       {source: "^[0-9]{3}[ -](0[1-9]|[1-9][0-9])[ -]([1-9][0-9]{3}|[0-9][1-9][0-9]{2}|[0-9]{2}[1-9][0-9]|[0-9]{3}[1-9])$", says: "must be a US social security number"},
		"ein":                       {source: "^[0-9]{2}-[0-9]{7}$", says: "must be a US employer identification number"},
		"bic":                       {source: "^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$", says: "must be a business identifier code (BIC)"},
		"bic_iso_9362_2014":         {source: "^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?$", says: "must be a business identifier code (BIC)"},
		"eth_addr":                  {source: "^0x[0-9a-fA-F]{40}$", says: "must be an Ethereum address"},
		"eth_addr_checksum":         {how: asked, source: "^0x[0-9a-fA-F]{40}$", says: "must be an Ethereum address with its checksum"},
		"btc_addr":                  {how: asked, source: "^[13][a-km-zA-HJ-NP-Z1-9]{25,34}$", says: "must be a Bitcoin address"},
		"btc_addr_bech32":           {how: asked, source: "^(BC1[02-9AC-HJ-NP-Z]{7,76}|bc1[02-9ac-hj-np-z]{7,76})$", says: "must be a Bitcoin address in bech32"},
		"isbn":                      {how: asked, source: "^[0-9 X-]{10,21}$", says: "must be an ISBN"},
		"isbn10":                    {how: asked, source: "^[0-9 X-]{10,16}$", says: "must be an ISBN-10"},
		"isbn13":                    {how: asked, source: "^[0-9 -]{13,21}$", says: "must be an ISBN-13"},
		"issn":                      {how: asked, source: "^[0-9]{4}-[0-9]{3}[0-9X]$", says: "must be an ISSN"},
		"credit_card":               {how: asked, source: "^[0-9 ]{12,}$", says: "must be a payment card number"},

		"iso3166_1_alpha2":    {how: listed, says: "must be a country code such as DE (ISO 3166-1 alpha-2)"},
		"iso3166_1_alpha2_eu": {how: listed, says: "must be the code of a country of the European Union such as DE (ISO 3166-1 alpha-2)"},
		"iso3166_1_alpha3":    {how: listed, says: "must be a country code such as DEU (ISO 3166-1 alpha-3)"},
		"iso3166_1_alpha3_eu": {how: listed, says: "must be the code of a country of the European Union such as DEU (ISO 3166-1 alpha-3)"},
		"iso4217":             {how: listed, says: "must be a currency code such as EUR (ISO 4217)"},
		"iso3166_2":           {how: asked, source: "^[A-Z]{2}-[A-Z0-9]{1,3}$", says: "must be a code such as DE-BY (ISO 3166-2)"},

		// Without a bound, reading a tag takes time by the square of its length.
		"bcp47_language_tag":        {how: asked, max: maxLanguageTag, says: "must be a language tag such as en-GB (BCP 47)"},
		"bcp47_strict_language_tag": {how: asked, max: maxLanguageTag, says: "must be a registered language tag such as en-GB (BCP 47)"},
		"postcode_iso3166_alpha2":   {how: asked, param: needParam, says: "must be a postcode of %s"},

		"iscolor":         {how: aliased, source: "hexcolor|rgb|rgba|hsl|hsla|cmyk", says: "must be a colour such as #1e90ff or rgb(30, 144, 255)"},
		"country_code":    {how: aliased, source: "iso3166_1_alpha2|iso3166_1_alpha3|iso3166_1_alpha_numeric", says: "must be a country code (ISO 3166-1)"},
		"eu_country_code": {how: aliased, source: "iso3166_1_alpha2_eu|iso3166_1_alpha3_eu|iso3166_1_alpha_numeric_eu", says: "must be the code of a country of the European Union (ISO 3166-1)"},
	})
}

func uuidEntries() map[string]entry {
	const tail, lowerTail = "-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$", "-[0-9a-f]{12}$"
	return map[string]entry{
		"uuid":          {source: "^" + hex8to12 + "[0-9a-fA-F]{4}" + tail, format: "uuid", says: "must be a UUID"},
		"uuid3":         {source: "^" + lower8to12 + "3[0-9a-f]{3}-[0-9a-f]{4}" + lowerTail, format: "uuid", says: "must be a UUID of version 3 in lower case"},
		"uuid4":         {source: "^" + lower8to12 + "4[0-9a-f]{3}-[89ab][0-9a-f]{3}" + lowerTail, format: "uuid", says: "must be a UUID of version 4 in lower case"},
		"uuid5":         {source: "^" + lower8to12 + "5[0-9a-f]{3}-[89ab][0-9a-f]{3}" + lowerTail, format: "uuid", says: "must be a UUID of version 5 in lower case"},
		"uuid7":         {source: "^" + lower8to12 + "7[0-9a-f]{3}-[89ab][0-9a-f]{3}" + lowerTail, format: "uuid", says: "must be a UUID of version 7 in lower case"},
		"uuid_rfc4122":  {source: "^" + hex8to12 + "[0-9a-fA-F]{4}" + tail, format: "uuid", says: "must be a UUID"},
		"uuid3_rfc4122": {source: "^" + hex8to12 + "3[0-9a-fA-F]{3}" + tail, format: "uuid", says: "must be a UUID of version 3"},
		"uuid4_rfc4122": {source: "^" + hex8to12 + "4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$", format: "uuid", says: "must be a UUID of version 4"},
		"uuid5_rfc4122": {source: "^" + hex8to12 + "5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$", format: "uuid", says: "must be a UUID of version 5"},
	}
}

// hostEntries are the tags about addresses.
func hostEntries() map[string]entry {
	const (
		looksUp = "resolves names on the network"
		opens   = "looks at the file system"
	)
	return map[string]entry{
		"url":               {how: asked, source: "^[A-Za-zİK][A-Za-z0-9+.İK-]*:", sure: "^https?" + plainURL, says: "must be a URL"},
		"http_url":          {how: asked, source: "^[hH][tT][tT][pP][sSſ]?://", sure: "^https?" + plainURL, says: "must be a URL that begins with http:// or https://"},
		"https_url":         {how: asked, source: "^[hH][tT][tT][pP][sSſ]://", sure: "^https" + plainURL, says: "must be a URL that begins with https://"},
		"uri":               {how: asked, source: `^(/|\*(#|$)|[A-Za-z][A-Za-z0-9+.-]*:)`, sure: "^https?" + plainURL, says: "must be a URI or an absolute path"},
		"origin":            {how: asked, source: "^[hH][tT][tT][pP][sS]?://[^/?#@]+$", says: "must be a web origin such as https://example.com"},
		"urn_rfc2141":       {how: asked, source: "^[uU][rR][nN]:", says: "must be a URN (RFC 2141)"},
		"urn_rfc8141":       {how: asked, source: "^[uU][rR][nN]:", says: "must be a URN (RFC 8141)"},
		"ipv4":              {source: "^" + dottedQuad + "$", format: "ipv4", says: "must be an IPv4 address such as 192.0.2.1"},
		"ip4_addr":          {source: "^" + dottedQuad + "$", format: "ipv4", says: "must be an IPv4 address such as 192.0.2.1"},
		"cidr":              {how: asked, source: "^[0-9a-fA-F:.]+/[0-9]+$", says: "must be a network such as 192.0.2.0/24"},
		"cidrv4":            {how: asked, source: "^[0-9a-fA-F:.]+/[0-9]+$", says: "must be an IPv4 network such as 192.0.2.0/24"},
		"cidrv6":            {how: asked, source: "^[0-9a-fA-F:.]+/[0-9]+$", says: "must be an IPv6 network such as 2001:db8::/32"},
		"mac":               {source: macPattern(), says: "must be a hardware address such as 00:00:5e:00:53:01"},
		"hostname":          {source: "^[a-zA-Z]" + hostLabels + "$", says: "must be a host name (RFC 952)"},
		"hostname_rfc1123":  {source: "^[a-zA-Z0-9]" + hostLabels + "$", says: "must be a host name"},
		"hostname_label":    {source: "^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$", says: "must be one label of a host name"},
		"dns_rfc1035_label": {source: "^[a-z]([a-z0-9-]*[a-z0-9])?$", max: 63, says: "must be a DNS label in lower case, 63 characters at most"},
		"hostname_port":     {how: asked, source: ":[+]?[0-9]+$", says: "must be a host and port such as example.com:443"},
		"timezone":          {how: forbidden, says: "depends on the time zone files of the host"},
		"tcp_addr":          {how: forbidden, says: looksUp},
		"tcp4_addr":         {how: forbidden, says: looksUp},
		"tcp6_addr":         {how: forbidden, says: looksUp},
		"udp_addr":          {how: forbidden, says: looksUp},
		"udp4_addr":         {how: forbidden, says: looksUp},
		"udp6_addr":         {how: forbidden, says: looksUp},
		"unix_addr":         {how: forbidden, says: "accepts every text"},
		"uds_exists":        {how: forbidden, says: opens},
		"file":              {how: forbidden, says: opens},
		"filepath":          {how: forbidden, says: opens},
		"dir":               {how: forbidden, says: opens},
		"dirpath":           {how: forbidden, says: opens},
		"image":             {how: forbidden, says: opens, param: mayParam},
		"mimetype":          {how: forbidden, says: opens, param: mayParam},
		"validateFn":        {how: forbidden, says: "calls a method of the value that no schema can show", param: mayParam},
	}
}

// macPattern admits the three lengths in the four notations of net.ParseMAC.
func macPattern() string {
	pattern, between := "^(", ""
	for _, n := range []string{"5", "7", "19"} {
		for _, separator := range []string{":", "-"} {
			pattern += between + hexPair + "(" + separator + hexPair + "){" + n + "}"
			between = "|"
		}
	}
	for _, n := range []string{"2", "3", "9"} {
		pattern += "|[0-9a-fA-F]{4}([.][0-9a-fA-F]{4}){" + n + "}"
	}
	for _, n := range []string{"6", "8", "20"} {
		pattern += "|(" + hexPair + "){" + n + "}"
	}
	return pattern + ")$"
}
