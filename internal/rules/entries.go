package rules

// An entry is one row of the dictionary: how a baked-in tag of validator is judged.
type entry struct {
	how    how
	source string // patterned: what the string must match; asked: a pattern that admits all that the tag accepts
	max    int    // patterned, asked: the most characters, 0 for no bound
	format string // JSON Schema format that admits all that the tag accepts
	says   string // the message; "%s" is the parameter
	param  takes
	sure   string // asked: what matches needs no asking
}

// how a tag is judged.
type how uint8

const (
	patterned  how = iota // a string, by a pattern: exact
	asked                 // a string, by asking validator
	listed                // a string, by a list of codes that validator knows
	native                // compiled by kind, in native.go
	crossing              // reads other fields
	forbidden             // touches the host or the network
	structural            // steers the others
	aliased               // stands for source
)

// takes tells about a tag's parameter.
type takes uint8

const (
	noParam takes = iota
	needParam
	mayParam
)

const (
	hex8to12    = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-"
	lower8to12  = "[0-9a-f]{8}-[0-9a-f]{4}-"
	space       = `[\t\n\f\r ]*`
	byteNumber  = "(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])"
	commaSpaced = space + "," + space
	rgbBody     = "(" + byteNumber + commaSpaced + byteNumber + commaSpaced + byteNumber + "|" +
		byteNumber + "%" + commaSpaced + byteNumber + "%" + commaSpaced + byteNumber + "%)"
	hslBody   = "(0|[1-9][0-9]?|[12][0-9][0-9]|3[0-5][0-9]|360)" + commaSpaced + percentage + commaSpaced + percentage
	alphaBody = commaSpaced + `((0[^\n][1-9]*)|[01])` + space

	percentage   = "(0|[1-9][0-9]?|100)%"
	cmykPart     = "(100|[1-9]?[0-9])%"
	octet        = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
	dottedQuad   = octet + `\.` + octet + `\.` + octet + `\.` + octet
	base64Body   = "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
	hostLabels   = `([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*`
	hexPair      = "[0-9a-fA-F]{2}"
	mailAtoms    = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
	mailLabel    = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
	mailTopLabel = "[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z])?"
	semverPart   = "(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
	plainURL     = `://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$`
	mongoHost    = `([a-z0-9.\-]+)`
	cronField    = "([A-Za-z0-9*?][A-Za-z0-9*?/,#L-]+|[*?0-9])"

	// fqdnPattern leaves the length to a bound of its own.
	fqdnPattern = `^[a-zA-Z0-9][a-zA-Z0-9-]{0,62}(\.[a-zA-Z0-9][a-zA-Z0-9-]{0,62})*(\.[a-zA-Z][a-zA-Z0-9-]{0,62})\.?$`
	// mailPattern is the dot-string mailbox of RFC 5321 over a host name of two labels or more.
	mailPattern = "^" + mailAtoms + `(\.` + mailAtoms + ")*@(" + mailLabel + `\.)+` + mailTopLabel + "$"
	// mailLocal is the limit of RFC 5321 section 4.5.3.1.1.
	mailLocal = "^[^@]{1,64}@"
)

// allEntries returns the dictionary: a row for every tag that validator v10.30.6 bakes in.
func allEntries() map[string]entry {
	return merge(textEntries(), codeEntries(), hostEntries(), nativeEntries(), crossEntries())
}

func merge(tables ...map[string]entry) map[string]entry {
	all := map[string]entry{}
	for _, table := range tables {
		for name, e := range table {
			all[name] = e
		}
	}
	return all
}

// textEntries are the tags about characters and numbers in text.
func textEntries() map[string]entry {
	return map[string]entry{
		"alpha":           {source: "^[a-zA-Z]+$", says: "must contain only letters a to z"},
		"alphaspace":      {source: "^[a-zA-Z ]+$", says: "must contain only letters a to z and spaces"},
		"alphanum":        {source: "^[a-zA-Z0-9]+$", says: "must contain only letters a to z and digits"},
		"alphanumspace":   {source: "^[a-zA-Z0-9 ]+$", says: "must contain only letters a to z, digits and spaces"},
		"alphaunicode":    {source: `^\p{L}+$`, says: "must contain only letters"},
		"alphanumunicode": {source: `^[\p{L}\p{N}]+$`, says: "must contain only letters and numbers"},
		"hexadecimal":     {source: "^(0[xX])?[0-9a-fA-F]+$", says: "must be a hexadecimal number"},
		"hexcolor":        {source: "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$", says: "must be a hexadecimal colour such as #1e90ff"},
		"rgb":             {source: `^rgb\(` + space + rgbBody + space + `\)$`, says: "must be a colour such as rgb(30, 144, 255)"},
		"rgba":            {source: `^rgba\(` + space + rgbBody + alphaBody + `\)$`, says: "must be a colour such as rgba(30, 144, 255, 0.5)"},
		"hsl":             {source: `^hsl\(` + space + hslBody + space + `\)$`, says: "must be a colour such as hsl(210, 100%, 56%)"},
		"hsla":            {source: `^hsla\(` + space + hslBody + alphaBody + `\)$`, says: "must be a colour such as hsla(210, 100%, 56%, 0.5)"},
		"cmyk":            {source: `^cmyk\(` + cmykPart + commaSpaced + cmykPart + commaSpaced + cmykPart + commaSpaced + cmykPart + `\)$`, says: "must be a colour such as cmyk(88%, 44%, 0%, 0%)"},
		"ascii":           {source: `^[\x00-\x7F]*$`, says: "must contain only ASCII characters"},
		"printascii":      {source: `^[\x20-\x7E]*$`, says: "must contain only printable ASCII characters"},
		"multibyte":       {source: `^$|[^\x00-\x7F]`, says: "must contain a character outside ASCII"},
		"e164":            {source: `^\+?[1-9][0-9]{7,14}$`, says: "must be a telephone number such as +4930123456"},
		"base32":          {source: "^([A-Z2-7]{8})*([A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=|[A-Z2-7]{8})$", says: "must be base32"},
		"base64":          {source: "^" + base64Body + "$", says: "must be base64"},
		"base64url":       {source: "^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=|[A-Za-z0-9_-]{4})$", says: "must be base64url with padding"},
		"base64rawurl":    {source: "^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2,4})$", says: "must be base64url without padding"},
		"datauri":         {source: "^data:[^,]*," + base64Body + "$", says: "must be a data URI in base64"},
		"html":            {source: `<[/]?[a-zA-Z]+[^\n]*>`, says: "must contain an HTML tag"},
		"html_encoded":    {source: "&#x?[0-9a-fA-F]{2}|&gt|&lt|&quot|&amp", says: "must contain an HTML character reference"},
		"url_encoded":     {source: "^([^%]|%[0-9a-fA-F]{2})*$", says: "must be percent-encoded"},
		"json":            {how: asked, says: "must be JSON text"},
		"jwt":             {source: `^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$`, says: "must be a JSON Web Token"},
		"semver":          {source: `^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(` + semverPart + `(\.` + semverPart + `)*))?(\+([0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*))?$`, says: "must be a semantic version such as 1.2.3"},
		"cron":            {source: `^((@(annually|yearly|monthly|weekly|daily|hourly|reboot))|(@every ([0-9]+(ns|us|µs|ms|s|m|h))+)|(` + cronField + "( +" + cronField + `){4,6}))$`, says: "must be a cron expression"},
		"duration":        {how: asked, source: `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`, says: "must be a duration such as 1h30m"},
		"lowercase":       {how: asked, source: "^[^A-Z]+$", says: "must be in lower case"},
		"uppercase":       {how: asked, source: "^[^a-z]+$", says: "must be in upper case"},
	}
}
