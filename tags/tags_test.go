package tags_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/tags"
)

var update = flag.Bool("update", false, "write the golden files")

// A row is one text and the name under which the golden file shows what is read from it.
type row struct{ name, in string }

// golden compares what read says of each row with testdata/<file>.
func golden(t *testing.T, file string, rows []row, read func(in string) (any, []tags.Problem)) {
	t.Helper()
	var b strings.Builder
	seen := map[string]bool{}
	for _, r := range rows {
		require.False(t, seen[r.name], "two rows are named %q", r.name)
		seen[r.name] = true
		got, problems := read(r.in)
		fmt.Fprintf(&b, "# %s\n  in  %q\n  out%s\n", r.name, r.in, show(got))
		for _, p := range problems {
			fmt.Fprintf(&b, "  ! %s\n", p)
		}
	}
	path := "testdata/" + file
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "run the test with -update and read the difference")
}

// show lists the fields of a struct that are set, one line for all.
func show(got any) string {
	var b strings.Builder
	v := reflect.ValueOf(got)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			fmt.Fprintf(&b, " %s=%q", v.Type().Field(i).Name, fmt.Sprint(f))
		}
	}
	return b.String()
}

// pairs shows a tag by its keys and values.
type pairs struct{ Pairs []string }

func TestParse(t *testing.T) {
	t.Parallel()
	golden(t, "structtag.golden", []row{
		{"empty", ``},
		{"three keys of ours", `json:"order" cap:"Order number; example=SO-1042" validate:"required,startswith=SO-"`},
		{"keys of others", `db:"a" yaml:"b" http:"c" cli:"d" mcp:"e" xml:"f" bson:"g" env:"h" map:"i" csv:"j" form:"k" jsonb:"l" valid:"m" toml:"n" gorm:"o" app:"p"`},
		{"escapes", `cap:"He said \"no\"\\; so be it"`},
		{"blanks at the ends and between", `  json:"a"   cap:"b"  `},
		{"empty value", `json:""`},
		{"unescaped quote", `cap:"The "best" order" validate:"required"`},
		{"unescaped quote before a blank", `cap:"The " best" validate:"required"`},
		{"unescaped quote that makes a pair", `cap:"Say key:"value" here"`},
		{"colon missing", `json"order"`},
		{"key alone", `json`},
		{"blank before the colon", `json :"order"`},
		{"blank after the colon", `json: "order" cap:"x"`},
		{"quotes missing", `json:order`},
		{"value missing", `json:`},
		{"single quotes", `json:'order'`},
		{"closing quote missing", `cap:"a" json:"order`},
		{"closing quote escaped", `json:"order\"`},
		{"key missing", `:"order"`},
		{"quote alone", `"`},
		{"repeated key", `json:"a" json:"b"`},
		{"blank missing", `json:"a"cap:"b"`},
		{"comma between pairs", `json:"a",validate:"b"`},
		{"comma and blank between pairs", `json:"a", validate:"b"`},
		{"comma before a key", `json:"a" ,validate:"b"`},
		{"tab between pairs", "json:\"a\"\tcap:\"b\""},
		{"line break between pairs", "json:\"a\"\n\tcap:\"b\""},
		{"line break in a value", "cap:\"a\nb\" json:\"c\""},
		{"bad escape", `cap:"\d+" json:"c"`},
		{"bad escape, repeated", `cap:"\d+" cap:"c"`},
		{"delete character", "json:\"a\" \x7fcap:\"b\""},
		{"stray bytes", "json:\"a\" \xff\xfe"},
		{"misspelt keys", `vaildate:"a" jsom:"b" Cap:"c" capp:"d" JSON:"e" josn:"f" Validate:"g" validator:"h" cpa:"i" jsn:"j"`},
	}, func(in string) (any, []tags.Problem) {
		tag, problems := tags.Parse(in)
		var got pairs
		for _, key := range tag.Keys() {
			value, ok := tag.Lookup(key)
			require.True(t, ok)
			got.Pairs = append(got.Pairs, key+"="+value)
		}
		return got, problems
	})
}

func TestLookup(t *testing.T) {
	t.Parallel()
	var none tags.StructTag
	value, ok := none.Lookup("json")
	assert.Empty(t, value)
	assert.False(t, ok, "a key of the empty tag")
	assert.Empty(t, none.Keys())

	tag, problems := tags.Parse(`json:"" cap:"b"`)
	require.Empty(t, problems)
	value, ok = tag.Lookup("json")
	assert.Empty(t, value)
	assert.True(t, ok, "a key with an empty value")
	_, ok = tag.Lookup("validate")
	assert.False(t, ok, "a key that is not there")
	keys := tag.Keys()
	keys[0] = "changed"
	assert.Equal(t, []string{"json", "cap"}, tag.Keys(), "the keys are a copy")
}

func TestParseContract(t *testing.T) {
	t.Parallel()
	golden(t, "contract.golden", []row{
		{"empty", ``},
		{"description alone", `Cancel an order`},
		{"all that go together", `Cancel an order; name=cancel; title=Cancel it; access=rule; scope=orders:write; scope=orders:admin; timeout=10s; idempotent; destructive; openworld; irreversible; deprecated=Use close_order.`},
		{"description empty", `; access=public; reversible`},
		{"blanks trimmed", `  Cancel   an order  ;access=public;   reversible `},
		{"literal semicolon", `First\; then; title=A\;B; access=public`},
		{"other backslashes stand for themselves", `A\B\\C; title=C:\temp\\; still`},
		{"equals signs in a description and a value", `a + b = c; title=x=y=`},
		{"unknown option", `Find; acess=public`},
		{"unknown option, nothing near", `Find; colour=red`},
		{"unknown flag", `Find; idempotant`},
		{"unknown case", `Find; Access=public; IDEMPOTENT`},
		{"semicolon meant literally", `Find; the first one; access=public`},
		{"semicolon meant literally before an equals sign", `Find; where a = b; access=public`},
		{"key missing", `Find; =public`},
		{"repeated option", `Find; access=public; access=rule; idempotent; idempotent`},
		{"options of other places", `Find; example=a; default=; secret; cite; version; format=x; tag=t; fix=f; retry=1s`},
		{"value of a flag", `Find; idempotent=true; destructive=`},
		{"value missing", `Find; name; title=; access; access=; scope; timeout=`},
		{"blank beside the equals sign", `Find; access =public; title= x`},
		{"empty items", `Find;; access=public;`},
		{"trailing backslash", `Find; title=x\`},
		{"trailing backslash before a semicolon", `Find; title=x\; access=public`},
		{"control character", "Find\tit; title=\n"},
		{"no UTF-8", "Find \xff"},
		{"option first", `access=public; Find an order`},
		{"option with a blank first", `access = public`},
		{"misspelt option first", `acess=public; Find`},
		{"flag first", `idempotent; access=public`},
		{"bare key first", `access`},
		{"flag of another place first", `secret; access=public`},
		{"option of another place first", `example=a`},
		{"words with a capital first", `Name; access=public`},
		{"key of another place first", `default; access=public`},
		{"prose with an equals sign first", `rate=price; access=public`},
		{"access unknown", `Find; access=autenticated`},
		{"access unknown, nothing near", `Find; access=everybody`},
		{"access in capitals", `Find; access=Public`},
		{"name with a blank", `Find; name=find order`},
		{"name with a dot", `Find; name=orders.find`},
		{"name with an accent", `Find; name=søk`},
		{"name of 64", `Find; name=` + strings.Repeat("a", 64)},
		{"name of 65", `Find; name=` + strings.Repeat("a", 65)},
		{"scopes with all characters", `Find; scope=!#$%&'()*+,-./09:<=>?@AZ[]^_` + "`" + `az{|}~`},
		{"scope with a blank", `Find; scope=a b`},
		{"scope with a quote", `Find; scope=a"b`},
		{"scope with a backslash", `Find; scope=a\b`},
		{"scope with an accent", `Find; scope=é`},
		{"scope repeated", `Find; scope=a; scope=b; scope=a`},
		{"timeout of 0", `Find; timeout=0`},
		{"timeout of 0s", `Find; timeout=0s`},
		{"timeout below a nanosecond", `Find; timeout=0.4ns`},
		{"timeout negative", `Find; timeout=-1s`},
		{"timeout without unit", `Find; timeout=10`},
		{"timeout negative without unit", `Find; timeout=-1`},
		{"timeout too long", `Find; timeout=9999999h`},
		{"timeout in words", `Find; timeout=soon`},
		{"timeout composed", `Find; timeout=1h30m0.5s`},
		{"reversible and irreversible", `Find; reversible; irreversible`},
	}, func(in string) (any, []tags.Problem) { return mixed(tags.ParseContract(in)) })
}

func TestParseFailure(t *testing.T) {
	t.Parallel()
	golden(t, "failure.golden", []row{
		{"empty", ``},
		{"all", `The order has left; tag=Shipped; fix=Open a return\; then wait.; retry=30s`},
		{"retry of 0", `Gone; retry=0`},
		{"retry without unit", `Gone; retry=5`},
		{"option of a contract", `Gone; access=public; scope=a`},
		{"misspelt", `Gone; fux=Try again; retri=1s`},
		{"fix first", `fix=Try again`},
		{"fix missing", `Gone; fix=`},
	}, func(in string) (any, []tags.Problem) { return mixed(tags.ParseFailure(in)) })
}

func TestParseService(t *testing.T) {
	t.Parallel()
	golden(t, "service.golden", []row{
		{"empty", ``},
		{"all", `Orders; access=authenticated; scope=a; scope=b; timeout=1m`},
		{"faults", `Orders; access=all; scope=a; scope=a; timeout=-1s`},
		{"option of a contract", `Orders; name=x; reversible`},
		{"misspelt", `Orders; timout=1s`},
	}, func(in string) (any, []tags.Problem) { return mixed(tags.ParseService(in)) })
}

func TestParseField(t *testing.T) {
	t.Parallel()
	golden(t, "field.golden", []row{
		{"empty", ``},
		{"all", `Order number; example=SO-1042; default=SO-1; format=order; secret; cite; version; deprecated=Use id.`},
		{"default in JSON", `Tags; default={"a":"b\;c","d":[1,2]}; example="x\ny"`},
		{"default empty", `Note; default=`},
		{"default without value", `Note; default`},
		{"example empty", `Note; example=`},
		{"format empty", `Note; format=`},
		{"option of a contract and a service", `Note; scope=a`},
		{"option of a contract", `Note; name=a`},
		{"option of a failure", `Note; fix=a`},
		{"misspelt", `Note; sekret; exmaple=a; defualt=1; cites`},
		{"flag first", `version`},
		{"bare key first", `default`},
		{"bare key of a contract first", `name; example=Ann`},
		{"bare flag of a contract first", `destructive`},
	}, func(in string) (any, []tags.Problem) { return mixed(tags.ParseField(in)) })
}

func TestParseJSON(t *testing.T) {
	t.Parallel()
	golden(t, "json.golden", []row{
		{"empty", ``},
		{"name", `order`},
		{"all", `order,omitempty,omitzero,string`},
		{"options alone", `,omitempty`},
		{"skip", `-`},
		{"name of a dash", `-,`},
		{"name of a dash with an option", `-,omitempty`},
		{"name with accents", `größe`},
		{"name with punctuation", `a.b-c_d$e/f`},
		{"unknown option", `order,omitEmpty,omitmepty`},
		{"unknown option, nothing near", `order,required`},
		{"second version", `at,format:RFC3339,inline,embed,unknown,case:ignore,strict,nocase`},
		{"blank before an option", `order, omitempty`},
		{"blank behind an option", `order,omitempty `},
		{"tab before an option", "order,\tomitempty"},
		{"blank around the name", ` order`},
		{"repeated option", `order,omitempty,omitempty`},
		{"empty option", `order,`},
		{"empty option between", `order,,omitempty`},
		{"dash and empty options", `-,,`},
		{"double quote in the name", `or"der`},
		{"quoted name with a comma", `'a,b'`},
		{"backslash in the name", `a\b`},
		{"backquote in the name", "a`b"},
		{"control character in the name", "a\x01b"},
		{"no UTF-8", "a\xffb"},
	}, func(in string) (any, []tags.Problem) { return mixed(tags.ParseJSON(in)) })
}

// mixed widens the type of the first result.
func mixed[T any](got T, problems []tags.Problem) (any, []tags.Problem) { return got, problems }

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"access", "scope", "fix", "tag"}
	for name, tt := range map[string]struct{ in, want string }{
		"the word itself":       {"access", "access"},
		"other case":            {"ACCESS", "access"},
		"letter dropped":        {"acess", "access"},
		"letter added":          {"accesss", "access"},
		"letter replaced":       {"scape", "scope"},
		"letters swapped":       {"csope", "scope"},
		"two edits":             {"scops1", "scope"},
		"three edits":           {"scop123", ""},
		"short, one edit":       {"fax", "fix"},
		"short, all replaced":   {"up", ""},
		"one letter":            {"x", ""},
		"nothing":               {"", ""},
		"far longer than known": {strings.Repeat("access", 100), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := tags.Nearest(tt.in, known)
			if !ok {
				got = ""
			}
			assert.Equal(t, tt.want, got)
		})
	}
	got, ok := tags.Nearest("access", nil)
	assert.False(t, ok)
	assert.Empty(t, got)
}

func TestProblemString(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "what (do)", tags.Problem{What: "what", Do: "do"}.String())
	assert.Equal(t, "what", tags.Problem{What: "what"}.String())
}
