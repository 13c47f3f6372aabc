package rules

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// A sampled tag is compiled for the type of its samples and judged on mutations of them.
type sampled struct {
	tag     string
	samples []any
	// tightened says where the rule refuses what validator takes, "" where both agree on every value.
	tightened string
}

func texts(list ...string) []any {
	all := make([]any, len(list))
	for i, text := range list {
		all[i] = text
	}
	return all
}

const (
	someUUID = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
	hex32    = "d41d8cd98f00b204e9800998ecf8427e"
)

func sampledTags() []sampled {
	all := []sampled{
		{tag: "required", samples: texts("", "a", "é")},
		{tag: "isdefault", samples: texts("", "a")},
		{tag: "isdefault", samples: []any{0, 1, -1}},
		{tag: "isdefault", samples: []any{false, true}},
		{tag: "isdefault", samples: []any{0.0, 0.5}},
		{tag: "boolean", samples: texts("true", "T", "0", "False", "TRUE", "f")},
		{tag: "boolean", samples: []any{true, false}},
		{tag: "datetime=2006-01-02", samples: texts("2026-02-28", "2024-02-29", "0001-01-01", "2026-13-01")},
		{tag: "datetime=15:04", samples: texts("23:59", "7:05")},
		{tag: "unique", samples: []any{[]string{"a", "b"}, []string{"a", "a"}, []string{}, strings.Split(strings.Repeat("a b c d e f g h i j k l m n o p q r s ", 2), " ")}},
		{tag: "unique", samples: []any{[]int{1, 2, 3}, []int{1, 1}}},
		{tag: "unique", samples: []any{[]float64{1, 2.5, 3}, []float64{1, 1}}},
		{tag: "unique", samples: []any{[]float32{1, 2.5, 3}, []float32{1, 1}}},
		{tag: "unique", samples: []any{[]bool{true, false}, []bool{true, true}}},
		{tag: "unique", samples: []any{map[string]int{"a": 1, "b": 2}, map[string]int{"a": 1, "b": 1}}},
		{tag: "unique=A", samples: []any{[]pair{{1, "x"}, {2, "x"}}, []pair{{1, "x"}, {1, "y"}}}},
		{tag: "luhn_checksum", samples: []any{79927398713, 18, 4242424242424242}},
		{tag: "latitude", samples: []any{0, 90, -90, 91}}, {tag: "latitude", samples: []any{0.0, 89.999, -90.0, 90.0001}},
		{tag: "latitude", samples: []any{uint8(0), uint8(90), uint8(91)}}, {tag: "latitude", samples: []any{float32(0), float32(-90), float32(90.01)}},
		{tag: "longitude", samples: []any{0, 180, -180, 181}}, {tag: "longitude", samples: []any{0.0, 179.999, -180.0, 180.0001}},
		{tag: "port", samples: []any{0, 1, 80, 65535, 65536}}, {tag: "port", samples: []any{uint16(0), uint16(65535)}},
		{tag: "iso4217_numeric", samples: []any{978, 8, 840, 1978}}, {tag: "iso4217_numeric", samples: []any{uint16(978), uint16(8)}},
		{tag: "iso3166_1_alpha_numeric", samples: []any{276, 4, 840, 1276}, tightened: "validator takes the code modulo 1000"},
		{tag: "iso3166_1_alpha_numeric_eu", samples: []any{276, 40, 1276}, tightened: "validator takes the code modulo 1000"},
		{tag: "number", samples: []any{1, -3}}, {tag: "numeric", samples: []any{1.5, -3.0}},
		{tag: "oneof=1 5 70", samples: []any{1, 5, 70, 0}}, {tag: "noneof=1 5 70", samples: []any{1, 5, 70, 0}},
		{tag: "oneof=1 5 70", samples: []any{uint8(1), uint8(5), uint8(70)}},
		{tag: "eq=true", samples: []any{true, false}}, {tag: "ne=true", samples: []any{true, false}}, {tag: "ne=0", samples: []any{true, false}},
	}
	for _, name := range []string{"len", "min", "max", "eq", "ne", "gt", "gte", "lt", "lte"} {
		all = append(all, comparisons(name)...)
	}
	for tag, samples := range textSamples() {
		one := sampled{tag: tag, samples: texts(samples...)}
		switch tag {
		case "email", "email|e164":
			one.tightened = "ASCII dot-string mailboxes on host names only, as format email has them; RFC 5321 lengths"
		case "ipv4", "ip4_addr":
			one.tightened = "dotted quads only, as format ipv4 has them"
		}
		all = append(all, one)
	}
	return all
}

type pair struct {
	A int
	B string
}

// comparisons samples one comparison over every kind that it judges.
func comparisons(name string) []sampled {
	tag := name + "=3"
	return []sampled{
		{tag: tag, samples: texts("ab", "abc", "3", "éèê", "abcdefghijklmnop")},
		{tag: tag, samples: []any{2, 3, 4}},
		{tag: tag, samples: []any{int8(2), int8(3), int8(-128)}},
		{tag: tag, samples: []any{uint64(2), uint64(3), uint64(math.MaxUint64)}},
		{tag: name + "=0.5", samples: []any{0.5, 0.25, -7.0}},
		{tag: name + "=0.1", samples: []any{float32(0.1), float32(0.25), float32(-7)}},
		{tag: tag, samples: []any{[]string{"a"}, []string{"a", "b", "c"}, []string(nil)}},
		{tag: tag, samples: []any{[3]int{1, 2, 3}}},
		{tag: tag, samples: []any{[]byte("ab"), []byte("abc"), []byte{}}},
		{tag: tag, samples: []any{map[string]int{"a": 1}, map[string]int{"a": 1, "b": 2, "c": 3}}},
		{tag: name + "=0x10", samples: []any{16, 15, 17}},
		{tag: name + "=1h30m", samples: []any{90 * time.Minute, time.Hour, time.Duration(0)}},
		{tag: name + "=5400000000000", samples: []any{90 * time.Minute, time.Hour}},
	}
}

// textSamples are texts that keep each tag about strings.
func textSamples() map[string][]string {
	return map[string][]string{
		"alpha": {"abcXYZ"}, "alphaspace": {"ab cd"}, "alphanum": {"ab12"}, "alphanumspace": {"ab 12"},
		"alphaunicode": {"äöüß", "世界", "aſ"}, "alphanumunicode": {"äö12", "世界٣", "Ⅷ½"},
		"numeric": {"-12.5", "+7", "0"}, "number": {"0123"}, "hexadecimal": {"0xAf09", "ff", "0X1"},
		"hexcolor": {"#1e90ff", "#FFF", "#1234", "#12345678"},
		"rgb":      {"rgb(30, 144, 255)", "rgb(30%,20%,0%)", "rgb( 0 ,1,2 )"}, "rgba": {"rgba(30, 144, 255, 0.5)", "rgba(30%,1%,2%,1)"},
		"hsl": {"hsl(210, 100%, 56%)", "hsl(360,0%,9%)"}, "hsla": {"hsla(210, 100%, 56%, 0.5)", "hsla(0,0%,0%,0)"}, "cmyk": {"cmyk(88%, 44%, 0%, 0%)", "cmyk(100%,1%,2%,3%)"},
		"iscolor": {"#1e90ff", "rgb(30, 144, 255)", "hsl(210, 100%, 56%)"},
		"ascii":   {"abc\x00\x7f", ""}, "printascii": {"abc ~", ""}, "multibyte": {"é", "", "abcé"},
		"e164": {"+4930123456", "4930123456"}, "base32": {"MZXW6===", "MZXW6YTBOI======", "MZXW6YTB"}, "base64": {"Zm9v", "Zm8=", "Zg==", "+/+/"},
		"base64url": {"Zm9v", "Zm8=", "Zg==", "-_-_"}, "base64rawurl": {"Zm9v", "Zm8", "Zg", "-_-_"}, "datauri": {"data:text/plain;base64,Zm9v", "data:,Zg=="},
		"html": {"<b>", "x</i y>", "<br\n>"}, "html_encoded": {"&#x3c", "&lt;", "&#65;"}, "url_encoded": {"a%20b", "", "%e4"},
		"json": {`{"a":[1,2]}`, "null", `"x"`}, "jwt": {"eyJh.eyJz.c2ln", "a.b."}, "semver": {"1.2.3", "1.0.0-rc.1+build.5", "0.0.0-0a"},
		"cron": {"* * * * *", "@daily", "@every 1h30m", "0 12 1-5 * MON,TUE"}, "duration": {"1h30m", "-1.5s", "0", "1µs"},
		"lowercase": {"abc é", "ab1"}, "uppercase": {"ABC É", "AB1"},
		"uuid": {someUUID, strings.ToUpper(someUUID)}, "uuid_rfc4122": {someUUID, strings.ToUpper(someUUID)},
		"uuid3": {"f47ac10b-58cc-3372-a567-0e02b2c3d479"}, "uuid3_rfc4122": {"F47ac10b-58cc-3372-a567-0e02b2c3d479"},
		"uuid4": {someUUID}, "uuid4_rfc4122": {strings.ToUpper(someUUID)},
		"uuid5": {"f47ac10b-58cc-5372-a567-0e02b2c3d479"}, "uuid5_rfc4122": {"F47ac10b-58cc-5372-B567-0e02b2c3d479"},
		"uuid7": {"f47ac10b-58cc-7372-a567-0e02b2c3d479"}, "ulid": {"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5faſ"},
		"md4": {hex32}, "md5": {hex32}, "ripemd128": {hex32}, "tiger128": {hex32}, "ripemd160": {hex32 + hex32[:8]}, "tiger160": {hex32 + hex32[:8]},
		"tiger192": {hex32 + hex32[:16]}, "sha256": {hex32 + hex32}, "sha384": {hex32 + hex32 + hex32}, "sha512": {hex32 + hex32 + hex32 + hex32},
		"mongodb": {"507f1f77bcf86cd799439011"}, "mongodb_connection_string": {"mongodb://user:pa$s@host-1.example:27017,host2:27018/db_name?retry=true&w=1", "mongodb+srv://h/"},
		"cve": {"CVE-2021-44228", "CVE-1999-0067"}, "ssn": {"123-45-6789", "123 45 6789"}, "ein": {"12-3456789"},
		"bic": {"DEUTDEFF", "DEUTDEFF500"}, "bic_iso_9362_2014": {"DEUTDEFF", "deutdeFF500"},
		"eth_addr": {"0x52908400098527886E0F7030069857D2E4169EE7"}, "eth_addr_checksum": {"0x52908400098527886E0F7030069857D2E4169EE7"},
		"btc_addr": {"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"}, "btc_addr_bech32": {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"},
		"isbn": {"978-3-16-148410-0", "0-306-40615-2"}, "isbn10": {"0-306-40615-2", "080442957X"}, "isbn13": {"978-3-16-148410-0", "9783161484100"}, "issn": {"0378-5955", "2434-561X"},
		"credit_card": {"4242 4242 4242 4242", "4242424242424242"}, "luhn_checksum": {"79927398713", "18"},
		"iso3166_1_alpha2": {"DE", "FR"}, "iso3166_1_alpha2_eu": {"DE", "FR"}, "iso3166_1_alpha3": {"DEU", "USA"}, "iso3166_1_alpha3_eu": {"DEU"}, "iso4217": {"EUR", "USD"},
		"iso3166_2": {"DE-BY", "US-CA", "FR-75"}, "iso3166_1_alpha_numeric": {"276", "4", "1276"}, "iso3166_1_alpha_numeric_eu": {"276"},
		"country_code": {"DE", "DEU", "276"}, "eu_country_code": {"DE", "DEU", "276"},
		"bcp47_language_tag": {"en-GB", "zh-Hant-TW"}, "bcp47_strict_language_tag": {"en-GB", "zh-Hant-TW"},
		"postcode_iso3166_alpha2=DE": {"10115"}, "postcode_iso3166_alpha2=GB": {"SW1A 1AA"},
		"url": {"https://example.com/a?b=c#d", "mailto:a@b", "file:///x", "http://a.b:80/", "Kx://h"}, "http_url": {"https://example.com/a", "HTTP://x", "http://[::1]/"}, "https_url": {"https://example.com/a", "HTTPſ://x"},
		"uri": {"/a/b", "https://example.com", "urn:x:y", "*", "/#"}, "origin": {"https://example.com", "http://[::1]:8080", "http://a:1"},
		"urn_rfc2141": {"urn:isbn:0451450523"}, "urn_rfc8141": {"urn:example:a123,z456?+abc?=d#f"},
		"ipv4": {"192.0.2.1", "::ffff:1.2.3.4"}, "ip4_addr": {"192.0.2.1"}, "ipv6": {"2001:db8::1", "::1", "::ffff:1.2.3.4", "fe80::1%eth0"}, "ip6_addr": {"2001:db8::1"},
		"ip": {"192.0.2.1", "2001:db8::1", "::ffff:1.2.3.4"}, "ip_addr": {"192.0.2.1", "2001:db8::1"},
		"cidr": {"192.0.2.0/24", "2001:db8::/32"}, "cidrv4": {"192.0.2.0/24", "10.0.0.1/32"}, "cidrv6": {"2001:db8::/32", "::ffff:1.2.3.4/128"},
		"mac":      {"00:00:5e:00:53:01", "02-00-5e-10-00-00-00-01", "0000.5e00.5301", "00005e005301", "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01"},
		"hostname": {"example.com", "a-b.c1"}, "hostname_rfc1123": {"1example.com", "a-b.c1"}, "hostname_label": {"a-b", strings.Repeat("a", 63)},
		"fqdn":              {"example.com", "example.com.", strings.Repeat("a123456789.", 22) + "abcdefghijk", strings.Repeat("a123456789.", 22) + "abcdefghijk."},
		"dns_rfc1035_label": {"a-b", strings.Repeat("a", 63)}, "hostname_port": {"example.com:443", ":80", "a:+1"},
		"latitude": {"12.5", "-90.0", "+89"}, "longitude": {"179.5", "-180.0", "+7"},
		"spicedb=permission": {"view_it", ""}, "spicedb=type": {"org/doc", "docs"}, "spicedb=id": {"a/b|c-d=+", "*"}, "spicedb": {"*"},
		"email":        {"jane.doe@example.com", "a+b@sub.example.co.uk", `"q q"@example.com`, "ü@example.com", "a@ü.de", "a@b~c.de", strings.Repeat("a", 64) + "@example.com"},
		"contains=a.b": {"xa.by", "a.b"}, "containsany=!@-]": {"x!y", "-", "]"}, "containsrune=☻": {"a☻"}, "excludes=a.b": {"xy", "a.b"}, "excludesall=!@0x2C": {"xy", "!", ","}, "excludesrune=☻": {"a☻", "a"},
		"startswith=ab.": {"ab.c"}, "endswith=.ab": {"c.ab"}, "startsnotwith=ab": {"ab", "b"}, "endsnotwith=ab": {"ab", "b"},
		"eq_ignore_case=kS": {"ks", "KſS", "Kſ"}, "ne_ignore_case=kS": {"ks", "x"}, "oneofci=ks 'a b'": {"KS", "A b", "Kſ"}, "noneofci=ks": {"KS", "x"},
		"oneof=red 'dark blue' g": {"red", "dark blue", "g"}, "noneof=red 'dark blue' g": {"red", "dark blue", "h"}, "oneof=a0x2Cb c0x7Cd": {"a,b", "c|d"},
		"eq=": {"", "a"}, "eq=abc|len=5": {"abc", "abcde"}, "email|e164": {"a@b.de", "+4930123456"},
	}
}

// mutated returns a value near one of samples.
func mutated(random *rand.Rand, samples []any) any {
	sample := samples[random.IntN(len(samples))]
	if text, ok := sample.(string); ok {
		other, _ := samples[random.IntN(len(samples))].(string)
		return mutatedText(random, text, other)
	}
	v := reflect.New(reflect.TypeOf(sample)).Elem()
	v.Set(reflect.ValueOf(sample))
	mutateValue(random, v)
	return v.Interface()
}

func mutateValue(random *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(mutatedText(random, v.String(), "b"))
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(mutatedInt(random, v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(mutatedInt(random, int64(v.Uint()))))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(mutatedFloat(random, v.Float()))
	case reflect.Slice:
		n := random.IntN(max(6, v.Len()) + 1)
		grown := reflect.MakeSlice(v.Type(), n, n)
		reflect.Copy(grown, v)
		if n > 0 && random.IntN(2) == 0 {
			mutateValue(random, grown.Index(random.IntN(n)))
		}
		v.Set(grown)
	case reflect.Map:
		grown := reflect.MakeMap(v.Type())
		for range random.IntN(6) {
			elem := reflect.New(v.Type().Elem()).Elem()
			mutateValue(random, elem)
			grown.SetMapIndex(reflect.ValueOf(string(rune('a'+random.IntN(9)))), elem)
		}
		v.Set(grown)
	case reflect.Struct:
		mutateValue(random, v.Field(random.IntN(v.NumField())))
	}
}

func mutatedInt(random *rand.Rand, n int64) int64 {
	switch random.IntN(5) {
	case 0:
		return n
	case 1:
		return n + int64(random.IntN(7)) - 3
	case 2:
		return int64(random.IntN(2000)) - 1000
	case 3:
		return random.Int64()
	default:
		return -n
	}
}

func mutatedFloat(random *rand.Rand, f float64) float64 {
	switch random.IntN(5) {
	case 0:
		return f
	case 1:
		return math.Nextafter(f, math.Inf(1-2*random.IntN(2)))
	case 2:
		return f + random.Float64() - 0.5
	case 3:
		return math.Round(random.Float64()*400) - 200
	default:
		return -f
	}
}

// mutatedText changes text in a few places; it stays UTF-8, as every decoded text is.
func mutatedText(random *rand.Rand, text, other string) string {
	const spice = "aAzZ09 -._/:@%#+=,|'\"<>()[]{}\t\n\v\x00\x7f\u0085\u00a0éÉßſKİ世☻\U0001F600"
	letters := []rune(text)
	pool := []rune(text + other + spice)
	for range random.IntN(4) {
		at := random.IntN(len(letters) + 1)
		switch random.IntN(6) {
		case 0: // insert
			letters = append(letters[:at], append([]rune{pool[random.IntN(len(pool))]}, letters[at:]...)...)
		case 1: // delete
			if at < len(letters) {
				letters = append(letters[:at], letters[at+1:]...)
			}
		case 2: // replace
			if at < len(letters) {
				letters[at] = pool[random.IntN(len(pool))]
			}
		case 3: // double a part
			end := at + random.IntN(len(letters)-at+1)
			letters = append(letters[:end], append([]rune(string(letters[at:end])), letters[end:]...)...)
		case 4: // turn the case
			if at < len(letters) {
				letters = append(letters[:at], []rune(strings.ToUpper(string(letters[at:])))...)
			}
		default: // cut
			letters = letters[:at]
		}
		if len(letters) > 600 {
			letters = letters[:600]
		}
	}
	if made := string(letters); utf8.ValidString(made) {
		return made
	}
	return text
}
