package rules

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
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

func sampledTags() []sampled {
	all := []sampled{
		{tag: "required", samples: texts("", "a", "é")},
		{tag: "isdefault", samples: texts("", "a")},
		{tag: "isdefault", samples: []any{0, 1, -1}},
		{tag: "isdefault", samples: []any{false, true}},
		{tag: "isdefault", samples: []any{0.0, 0.5}},
		{tag: "boolean", samples: texts("true", "T", "0", "False", "TRUE", "f")},
		{tag: "boolean", samples: []any{true, false}},
		{tag: "unique", samples: []any{[]string{"a", "b"}, []string{"a", "a"}, []string{}, strings.Split(strings.Repeat("a b c d e f g h i j k l m n o p q r s ", 2), " ")}},
		{tag: "unique", samples: []any{[]int{1, 2, 3}, []int{1, 1}}},
		{tag: "unique", samples: []any{[]float64{1, 2.5, 3}, []float64{1, 1}}},
		{tag: "unique", samples: []any{[]float32{1, 2.5, 3}, []float32{1, 1}}},
		{tag: "unique", samples: []any{[]bool{true, false}, []bool{true, true}}},
		{tag: "unique", samples: []any{map[string]int{"a": 1, "b": 2}, map[string]int{"a": 1, "b": 1}}},
		{tag: "unique=A", samples: []any{[]pair{{1, "x"}, {2, "x"}}, []pair{{1, "x"}, {1, "y"}}}},
		{tag: "luhn_checksum", samples: []any{79927398713, 18, 4242424242424242}},
		{tag: "latitude", samples: []any{0, 90, -90, 91}},
		{tag: "latitude", samples: []any{0.0, 89.999, -90.0, 90.0001}},
		{tag: "latitude", samples: []any{uint8(0), uint8(90), uint8(91)}},
		{tag: "latitude", samples: []any{float32(0), float32(-90), float32(90.01)}},
		{tag: "longitude", samples: []any{0, 180, -180, 181}},
		{tag: "longitude", samples: []any{0.0, 179.999, -180.0, 180.0001}},
		{tag: "port", samples: []any{0, 1, 80, 65535, 65536}},
		{tag: "port", samples: []any{uint16(0), uint16(65535)}},
		{tag: "iso4217_numeric", samples: []any{978, 8, 840, 1978}},
		{tag: "iso4217_numeric", samples: []any{uint16(978), uint16(8)}},
		{tag: "iso3166_1_alpha_numeric", samples: []any{276, 4, 840, 1276}, tightened: "validator takes the code modulo 1000"},
		{tag: "iso3166_1_alpha_numeric_eu", samples: []any{276, 40, 1276}, tightened: "validator takes the code modulo 1000"},
		{tag: "number", samples: []any{1, -3}},
		{tag: "numeric", samples: []any{1.5, -3.0}},
		{tag: "oneof=1 5 70", samples: []any{1, 5, 70, 0}},
		{tag: "noneof=1 5 70", samples: []any{1, 5, 70, 0}},
		{tag: "oneof=1 5 70", samples: []any{uint8(1), uint8(5), uint8(70)}},
		{tag: "eq=true", samples: []any{true, false}},
		{tag: "ne=true", samples: []any{true, false}},
		{tag: "ne=0", samples: []any{true, false}},
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

// textSamples are texts that keep, or nearly keep, each tag about strings. Package schema tests with them too.
func textSamples() map[string][]string {
	var all map[string][]string
	data, err := os.ReadFile("testdata/texts.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		panic(err)
	}
	return all
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
