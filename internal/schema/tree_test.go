package schema_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// A tree is a JSON value that can be changed.
type tree struct {
	open    byte // '{', '[' or 0 for a scalar
	literal string
	names   []string
	kids    []*tree
}

func scalar(literal string) *tree { return &tree{literal: literal} }

func quoted(text string) *tree {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return scalar(string(data))
}

func (t *tree) write(b *strings.Builder) {
	if t.open == 0 {
		b.WriteString(t.literal)
		return
	}
	b.WriteByte(t.open)
	for i, kid := range t.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if t.open == '{' {
			b.WriteString(quoted(t.names[i]).literal + ":")
		}
		kid.write(b)
	}
	b.WriteByte(t.open + 2)
}

func (t *tree) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

// nodes lists t and all below it.
func (t *tree) nodes() []*tree {
	all := []*tree{t}
	for _, kid := range t.kids {
		all = append(all, kid.nodes()...)
	}
	return all
}

// A maker makes documents for plans: good ones, mostly, until they are mutated.
type maker struct {
	*rand.Rand
	texts map[string][]string // by tag
	alone map[*plan.Field]*plan.Plan
}

func newMaker(seed uint64) *maker {
	data, err := os.ReadFile("../rules/testdata/texts.json")
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 7)), alone: map[*plan.Field]*plan.Plan{}}
	if err == nil {
		err = json.Unmarshal(data, &m.texts)
	}
	if err != nil {
		panic(err)
	}
	return m
}

func pick[T any](m *maker, list []T) T { return list[m.IntN(len(list))] }

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

// document makes a document of p, with a few faults in most.
func (m *maker) document(p *plan.Plan) *tree {
	t := m.value(p, nil, 0)
	for range m.IntN(3) {
		m.mutate(pick(m, t.nodes()))
	}
	return t
}

func (m *maker) value(p *plan.Plan, set *rules.Set, depth int) *tree {
	switch p.Kind {
	case plan.Pointer:
		if m.chance(10) {
			return scalar("null")
		}
		return m.value(p.Elem, set, depth)
	case plan.Maybe:
		return m.value(p.Elem, set, depth)
	case plan.Bool:
		return scalar(pick(m, []string{"true", "false"}))
	case plan.Int, plan.Uint, plan.BigInt:
		return scalar(m.integer(p, set))
	case plan.Float, plan.Number:
		return scalar(m.number(set))
	case plan.String:
		return quoted(m.text(set))
	case plan.Struct:
		return m.object(p, depth)
	case plan.Slice, plan.Array:
		return m.array(p, set, depth)
	case plan.Map:
		return m.mapping(p, set, depth)
	case plan.Any, plan.Raw:
		return pick(m, []*tree{scalar("null"), scalar("1.5"), quoted("x"), {open: '['}, {open: '{', names: []string{"a"}, kids: []*tree{scalar("true")}}})
	default:
		return quoted(m.form(p))
	}
}

func (m *maker) object(p *plan.Plan, depth int) *tree {
	t := &tree{open: '{'}
	for i := range p.Fields {
		f := &p.Fields[i]
		if f.Optional && (depth > 4 || m.chance(40)) {
			continue
		}
		t.names, t.kids = append(t.names, f.Name), append(t.kids, m.member(p, f, depth))
	}
	return t
}

// member makes a value of a field: mostly one that the field accepts, because a document with many faults tells little.
func (m *maker) member(p *plan.Plan, f *plan.Field, depth int) *tree {
	for {
		kid := m.value(f.Plan, f.Rules, depth+1)
		if f.AsString && kid.literal != "null" {
			kid = quoted(kid.literal)
		}
		if depth > 1 || m.chance(4) || m.accepts(p, f, kid) {
			return kid
		}
	}
}

// accepts reports whether the field, alone in a struct, takes a value. Rules that read other fields are left aside.
func (m *maker) accepts(p *plan.Plan, f *plan.Field, value *tree) bool {
	alone, ok := m.alone[f]
	if !ok {
		field := p.Type.FieldByIndex(f.Index)
		field.Anonymous, field.Index, field.Offset, field.PkgPath = false, nil, 0, ""
		if len(f.Rules.Cross) > 0 {
			field.Tag = reflect.StructTag(`json:"` + f.Name + `"`) // alone it has nothing to read
		}
		alone, _ = plan.New(plan.Config{Hooks: hooks()}).Compile(reflect.StructOf([]reflect.StructField{field}))
		m.alone[f] = alone
	}
	document := &tree{open: '{', names: []string{f.Name}, kids: []*tree{value}}
	return alone.Decode([]byte(document.String()), reflect.New(alone.Type).Elem(), plan.Limits{}) == nil
}

func (m *maker) array(p *plan.Plan, set *rules.Set, depth int) *tree {
	t := &tree{open: '['}
	n := p.Len
	if p.Kind == plan.Slice && depth < 5 {
		n = m.IntN(4)
	}
	for range n {
		t.kids = append(t.kids, m.value(p.Elem, elems(set), depth+1))
	}
	return t
}

func elems(set *rules.Set) *rules.Set {
	if set == nil {
		return nil
	}
	return set.Elems
}

func (m *maker) mapping(p *plan.Plan, set *rules.Set, depth int) *tree {
	t := &tree{open: '{'}
	n := m.IntN(4)
	if depth > 4 {
		n = 0
	}
	var keys *rules.Set
	if set != nil {
		keys = set.Keys
	}
	for range n {
		name := ""
		switch p.Key.Kind {
		case plan.String:
			name = m.text(keys)
		case plan.Int, plan.Uint:
			name = m.integer(p.Key, keys)
		default:
			name = m.form(p.Key)
		}
		t.add(name, m.value(p.Elem, elems(set), depth+1))
	}
	return t
}

// add puts a member in, unless there is one of that name.
func (t *tree) add(name string, kid *tree) {
	for _, taken := range t.names {
		if taken == name {
			return
		}
	}
	t.names, t.kids = append(t.names, name), append(t.kids, kid)
}

// operand returns an integer near one that a rule of set speaks of.
func (m *maker) operand(set *rules.Set) int64 {
	if set == nil || len(set.Rules) == 0 || m.chance(20) {
		return int64(m.IntN(9)) - 3
	}
	r := pick(m, set.Rules)
	switch {
	case r.Name == "luhn_checksum":
		return pick(m, []int64{18, 79927398713, 17})
	case len(r.All) > 0:
		r = pick(m, r.All)
	case len(r.Any) > 0:
		r = pick(m, r.Any)
	}
	near := r.Int + int64(r.Uint) + r.Lo
	switch {
	case len(r.Ints) > 0:
		near = pick(m, r.Ints)
	case len(r.Uints) > 0:
		near = int64(pick(m, r.Uints))
	}
	return near + int64(m.IntN(3)) - 1
}

// integer writes an integer in one of the ways that JSON has.
func (m *maker) integer(p *plan.Plan, set *rules.Set) string {
	n := m.operand(set)
	if m.chance(10) {
		return pick(m, []string{
			"-129", "-128", "127", "128", "255", "256", "32767", "32768", "65535", "-2147483649", "2147483647", "4294967295",
			"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
		})
	}
	if p.Kind == plan.Uint && n < 0 {
		n = -n
	}
	if m.chance(80) || n == 0 {
		return strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10) + pick(m, []string{".0", "e0", "00e-2", ".5", "E1"})
}

func (m *maker) number(set *rules.Set) string {
	f := float64(m.operand(set)) / 2
	if set != nil && len(set.Rules) > 0 && m.chance(60) {
		r := pick(m, set.Rules)
		f = r.Float
		if m.chance(60) {
			f = math.Nextafter(f, math.Inf(1-2*m.IntN(2)))
		}
	}
	if f == 0 {
		return pick(m, []string{"0", "0.0", "0e5"}) // never -0
	}
	return strconv.FormatFloat(f, pick(m, []byte("feg")), -1, 64)
}

func (m *maker) text(set *rules.Set) string {
	if set != nil && len(set.Rules) > 0 && !m.chance(10) {
		r := pick(m, set.Rules)
		if len(r.Any) > 0 {
			r = pick(m, r.Any)
		}
		name := r.Name
		if r.Param != "" {
			name += "=" + strings.NewReplacer(",", "0x2C", "|", "0x7C").Replace(r.Param)
		}
		switch known := m.texts[name]; {
		case len(known) > 0:
			return m.mutated(pick(m, known))
		case len(r.Choices) > 0:
			return m.mutated(pick(m, r.Choices))
		case r.Op == rules.OpLength && r.Lo < 60:
			return strings.Repeat(pick(m, []string{"a", "é", "世", "\U0001F600"}), max(0, int(r.Lo)+m.IntN(3)-1))
		}
	}
	return m.mutated(pick(m, []string{"", "a", "red", "Zoë", "10", "x y", "x", "card", "cash", "a@b.de", "c@d.de", "Zm8="}))
}

// form makes a text for one of the text forms.
func (m *maker) form(p *plan.Plan) string {
	all := map[plan.Kind][]string{
		plan.Bytes:    {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy", "Zh=="},
		plan.Time:     {"2026-11-30T20:15:00Z", "0001-01-01T00:00:00Z", "2024-02-29T23:59:59.123456789+05:30", "2023-02-29T00:00:00Z", "2026-01-01t00:00:00z", "2026-12-31T23:59:60Z", "2026-04-31T00:00:00Z"},
		plan.Duration: {"1h30m", "-1.5s", "0", "0s", "2562047h47m16.854775807s", "9999999h", "1µs", "1.5ns", "+2h", "5m"},
		plan.UUID:     {"f47ac10b-58cc-4372-a567-0e02b2c3d479", "F47AC10B-58CC-4372-A567-0E02B2C3D479", "00000000-0000-0000-0000-000000000000"},
		plan.Addr:     {"192.0.2.1", "2001:db8::1", "::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3.04", "::"},
		plan.Prefix:   {"10.0.0.0/8", "2001:db8::/32", "10.0.0.1/33", "::/129"},
		plan.AddrPort: {"10.0.0.1:80", "[::1]:443", "10.0.0.1:65536", "10.0.0.1:080"},
		plan.URL:      {"https://example.com/a?b=c", "/a", "", "%zz", "mailto:a@b"},
		plan.Text:     {"level-1", "level-9", "other"},
		plan.Custom:   {"#ff0000", "#12", "red"},
	}
	if text := pick(m, all[p.Kind]); m.chance(80) {
		return text
	}
	return m.mutated(pick(m, all[p.Kind]))
}

// mutated changes text in a place or two, half of the time.
func (m *maker) mutated(text string) string {
	letters := []rune(text)
	pool := []rune(text + "aAzZ09 -._/:@%#+=,|'\"<>[]\t\n\x7fé世ſK\U0001F600")
	for range m.IntN(3) {
		at := m.IntN(len(letters) + 1)
		switch {
		case m.chance(30):
			letters = append(letters[:at], append([]rune{pick(m, pool)}, letters[at:]...)...)
		case at == len(letters):
		case m.chance(40):
			letters = append(letters[:at], letters[at+1:]...)
		case m.chance(50):
			letters[at] = pick(m, pool)
		default:
			letters = letters[:at]
		}
	}
	if made := string(letters); utf8.ValidString(made) {
		return made
	}
	return text
}

// mutate changes one value of a document.
func (m *maker) mutate(t *tree) {
	switch {
	case m.chance(25):
		*t = *pick(m, []*tree{scalar("null"), scalar("true"), scalar("0"), scalar("-1"), scalar("1.5"), scalar("1e2"), quoted(""), quoted("x"), {open: '['}, {open: '{'}})
	case t.open == '{' && m.chance(30) && len(t.kids) > 0:
		i := m.IntN(len(t.kids))
		t.names, t.kids = append(t.names[:i:i], t.names[i+1:]...), append(t.kids[:i:i], t.kids[i+1:]...)
	case t.open == '{' && len(t.kids) > 0 && m.chance(30):
		t.add(m.mutated(pick(m, t.names)), pick(m, t.kids))
	case t.open == '{' && m.chance(20):
		t.add(pick(m, []string{"", "__proto__", "unknown", "a/b~c"}), scalar("1"))
	case t.open == '[' && len(t.kids) > 0:
		i := m.IntN(len(t.kids))
		if m.chance(50) {
			t.kids = append(t.kids[:i:i], t.kids[i+1:]...)
		} else {
			t.kids = append(t.kids, t.kids[i])
		}
	case strings.HasPrefix(t.literal, `"`):
		var text string
		if json.Unmarshal([]byte(t.literal), &text) == nil {
			*t = *quoted(m.mutated(text))
		}
	}
}

// spoil changes one part of v.
func (m *maker) spoil(v reflect.Value) {
	if v.Kind() == reflect.Struct && v.NumField() > 0 {
		if f := v.Field(m.IntN(v.NumField())); f.CanSet() {
			m.fill(f, 1)
		}
		return
	}
	m.fill(v, 0)
}

// fill sets v, which is settable, to a value of its type.
func (m *maker) fill(v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(m.Int64N(4e9), 0).UTC()))
		return
	case reflect.TypeFor[any]():
		v.Set(reflect.ValueOf(map[string]any{"a": []any{"x", 1.5, nil, true}}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.chance(50))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(pick(m, []int64{0, 1, -1, 2, 3, 4, 10, 100, 127}))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(pick(m, []uint64{0, 1, 2, 3, 4, 10, 100, 255}))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(pick(m, []float64{0, 0.5, -0.5, 1, 3, 100, 1e10}))
	case reflect.String:
		v.SetString(m.text(nil))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				m.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if n := m.IntN(4); depth < 5 && n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				m.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		if depth < 5 {
			v.Set(reflect.MakeMap(v.Type()))
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.fill(key, depth+1)
			m.fill(elem, depth+1)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		if depth < 5 && m.chance(70) {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem(), depth+1)
		}
	}
}
