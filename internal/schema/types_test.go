package schema_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// The types of the differential tests: every kind, every way to be present, every rule on every kind that it judges.

type kinds struct {
	Bool  bool            `json:"bool"`
	I     int             `json:"i"`
	I8    int8            `json:"i8"`
	I16   int16           `json:"i16"`
	I32   int32           `json:"i32"`
	I64   int64           `json:"i64"`
	U     uint            `json:"u"`
	U8    uint8           `json:"u8"`
	U16   uint16          `json:"u16"`
	U32   uint32          `json:"u32"`
	U64   uint64          `json:"u64"`
	F32   float32         `json:"f32"`
	F64   float64         `json:"f64"`
	Text  string          `json:"text" cap:"Some text; example=hello"`
	Bytes []byte          `json:"bytes"`
	Raw   json.RawMessage `json:"raw"`
	Any   any             `json:"any" cap:"Whatever"`
	Num   json.Number     `json:"num"`
	Big   big.Int         `json:"big"`
	List  []int           `json:"list"`
	Fixed [2]int8         `json:"fixed"`
	Map   map[string]int  `json:"map"`
}

type forms struct {
	Time     time.Time      `json:"time"`
	Duration time.Duration  `json:"duration"`
	ID       uuid.UUID      `json:"id"`
	Addr     netip.Addr     `json:"addr"`
	Prefix   netip.Prefix   `json:"prefix"`
	AddrPort netip.AddrPort `json:"addrPort"`
	URL      url.URL        `json:"url"`
	Level    level          `json:"level" cap:"How loud; format=level"`
	Colour   colour         `json:"colour"`
	Times    []time.Time    `json:"times"`
	Bytes    [][]byte       `json:"blobs"`
}

type keyed struct {
	Int  map[int8]string      `json:"int"`
	Uint map[uint64]bool      `json:"uint"`
	ID   map[uuid.UUID]int    `json:"id"`
	Addr map[netip.Addr]int   `json:"addr"`
	Deep map[string][]*int    `json:"deep"`
	Any  map[string]any       `json:"any"`
	Name map[name]*name       `json:"name"`
	Time map[string]time.Time `json:"time"`
}

type name string

// level is a text marshaller.
type level struct{ n string }

func (l level) MarshalText() ([]byte, error) { return []byte("level-" + l.n), nil }

func (l *level) UnmarshalText(text []byte) error {
	rest, ok := strings.CutPrefix(string(text), "level-")
	if !ok {
		return errors.New("no level")
	}
	l.n = rest
	return nil
}

// colour declares its schema.
type colour struct{ hex string }

func (colour) JSONSchema() json.RawMessage {
	return json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"string","description":"A colour","pattern":"^#[0-9a-f]{6}$"}`)
}

func (c colour) MarshalJSON() ([]byte, error) {
	if c.hex == "" {
		c.hex = "#000000"
	}
	return json.Marshal(c.hex)
}

func (c *colour) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &c.hex); err != nil {
		return err
	}
	if len(c.hex) != 7 || c.hex[0] != '#' || strings.Trim(c.hex[1:], "0123456789abcdef") != "" {
		return errors.New("no colour")
	}
	return nil
}

// Maybe stands for cap.Maybe.
type Maybe[T any] struct {
	Value T
	State plan.MaybeState
}

// Elem gives the hook its type.
func (Maybe[T]) Elem() reflect.Type { return reflect.TypeFor[T]() }

type maybe interface{ Elem() reflect.Type }

func hooks() plan.Hooks {
	return plan.Hooks{
		Maybe: func(t reflect.Type) (reflect.Type, bool) {
			if t.Kind() != reflect.Struct {
				return nil, false
			}
			m, ok := reflect.Zero(t).Interface().(maybe)
			if !ok {
				return nil, false
			}
			return m.Elem(), true
		},
		SetMaybe: func(v reflect.Value, null bool) reflect.Value {
			if null {
				v.FieldByName("State").Set(reflect.ValueOf(plan.MaybeNull))
				return reflect.Value{}
			}
			v.FieldByName("State").Set(reflect.ValueOf(plan.MaybeSet))
			return v.FieldByName("Value")
		},
		GetMaybe: func(v reflect.Value) (reflect.Value, plan.MaybeState) {
			return v.FieldByName("Value"), plan.MaybeState(v.FieldByName("State").Uint())
		},
	}
}

type presence struct {
	Plain        string          `json:"plain"`
	Omit         string          `json:"omit,omitempty"`
	OmitZero     int             `json:"omitZero,omitzero"`
	Default      string          `json:"default" cap:"Colour; default=red" validate:"oneof=red green"`
	DefaultInt   int             `json:"defaultInt" cap:"; default=7" validate:"min=1"`
	DefaultPtr   *int            `json:"defaultPtr" cap:"; default=7"`
	Pointer      *string         `json:"pointer"`
	OmitPointer  *string         `json:"omitPointer,omitempty"`
	NeverNull    *int            `json:"neverNull" validate:"required,min=2"`
	NullableRule *int            `json:"nullableRule" validate:"min=2"`
	Maybe        Maybe[int]      `json:"maybe" validate:"max=5"`
	MaybeText    Maybe[string]   `json:"maybeText" cap:"Some text; deprecated=use plain"`
	Secret       string          `json:"secret,omitempty" cap:"Password; secret" validate:"min=8"`
	Any          any             `json:"any" validate:"required"`
	Raw          json.RawMessage `json:"raw" validate:"required"`
	QuotedInt    int64           `json:"quotedInt,string"`
	QuotedPtr    *int8           `json:"quotedPtr,string"`
	QuotedUint   uint8           `json:"quotedUint,string" validate:"max=100"`
	QuotedFloat  float64         `json:"quotedFloat,string"`
	QuotedBool   bool            `json:"quotedBool,string"`
}

type numbers struct {
	Min    int     `json:"min" validate:"min=3"`
	Range  int8    `json:"range" validate:"gte=-5,lt=6"`
	Wide   int64   `json:"wide" validate:"gt=9007199254740993"`
	Len    int     `json:"len" validate:"len=3"`
	Eq     uint16  `json:"eq" validate:"eq=3"`
	Ne     int     `json:"ne" validate:"ne=3"`
	OneOf  int     `json:"oneOf" validate:"oneof=1 5 -7"`
	NoneOf uint8   `json:"noneOf" validate:"noneof=1 5"`
	Zero   int     `json:"zero" validate:"isdefault"`
	Port   uint16  `json:"port" validate:"port"`
	Lat    float64 `json:"lat" validate:"latitude"`
	Lon    int     `json:"lon" validate:"longitude"`
	Money  uint16  `json:"money" validate:"iso4217_numeric"`
	Land   int     `json:"land" validate:"iso3166_1_alpha_numeric"`
	Luhn   int     `json:"luhn" validate:"luhn_checksum"`
	F      float64 `json:"f" validate:"min=0.1,lt=1e3"`
	FNe    float64 `json:"fNe" validate:"ne=0.5"`
	F32    float32 `json:"f32" validate:"gt=0.1"`
	F32Max float32 `json:"f32Max" validate:"max=0.3"`
	F32Eq  float32 `json:"f32Eq" validate:"eq=0.7"`
	Skip   int     `json:"skip" validate:"omitempty,min=3"`
	SkipU  uint    `json:"skipU" validate:"omitzero,gt=3,ne=7"`
	True   bool    `json:"true" validate:"eq=true"`
	Not    bool    `json:"not" validate:"ne=true"`
	SkipB  bool    `json:"skipB" validate:"omitempty,eq=true"`
	Any    int     `json:"anyOf" validate:"eq=1|gt=5|oneof=3 4"`
	Number float64 `json:"number" validate:"numeric"`
}

type collections struct {
	Required  []string              `json:"required" validate:"required"`
	Min       []int                 `json:"min" validate:"min=1,max=3"`
	Len       map[string]int        `json:"len" validate:"len=2"`
	Ne        []int                 `json:"ne" validate:"ne=2"`
	Unique    []string              `json:"unique" validate:"unique"`
	UniqueInt []int                 `json:"uniqueInt" validate:"unique"`
	UniqueF   []float32             `json:"uniqueF" validate:"unique"`
	UniqueBy  []pair                `json:"uniqueBy" validate:"unique=A"`
	UniqueP   []pair                `json:"uniqueP" validate:"unique"`
	UniqueM   map[string]int        `json:"uniqueM" validate:"unique"`
	Dive      []string              `json:"dive" validate:"max=2,dive,min=2,alphanum"`
	DeepDive  [][]int               `json:"deepDive" validate:"dive,min=1,dive,min=2"`
	Keys      map[string]string     `json:"keys" validate:"dive,keys,min=2,alpha,endkeys,oneof=a b"`
	KeysOnly  map[string]pair       `json:"keysOnly" validate:"dive,keys,lowercase,endkeys"`
	IntKeys   map[int]string        `json:"intKeys" validate:"dive,keys,min=3,endkeys,min=1"`
	Skip      []int                 `json:"skip" validate:"omitzero,min=2"`
	NoSkip    []int                 `json:"noSkip" validate:"omitempty,min=2"`
	SkipMap   map[string]int        `json:"skipMap" validate:"omitzero,min=2"`
	Fixed     [3]int                `json:"fixed" validate:"dive,max=3"`
	Nullable  []*int                `json:"nullable" validate:"dive,min=2"`
	NotNull   []*int                `json:"notNull" validate:"dive,required,min=2"`
	Bytes0    []byte                `json:"bytes0" validate:"min=0,max=0"`
	Bytes1    []byte                `json:"bytes1" validate:"min=1"`
	Bytes2    []byte                `json:"bytes2" validate:"min=2,max=4"`
	Bytes3    []byte                `json:"bytes3" validate:"len=3"`
	Bytes5    []byte                `json:"bytes5" validate:"gt=4,lt=6"`
	BytesNe   []byte                `json:"bytesNe" validate:"ne=1"`
	BytesSkip []byte                `json:"bytesSkip" validate:"omitzero,min=4"`
	Structs   []pair                `json:"structs" validate:"dive"`
	Durations []time.Duration       `json:"durations" validate:"dive,gt=1m"`
	Times     map[string]*time.Time `json:"times" validate:"dive,required"`
}

type pair struct {
	A int    `json:"a"`
	B string `json:"b,omitempty" validate:"max=2"`
}

type strict struct {
	Two      string        `json:"two" validate:"alphanum,startswith=a,min=2,max=4"`
	Three    string        `json:"three" validate:"min=1,ne=a,ne=b,excludes=x"`
	Skip     string        `json:"skip" validate:"omitempty,min=2,uuid"`
	Or       string        `json:"or" validate:"email|e164|eq=none"`
	OrWide   string        `json:"orWide" validate:"isbn|issn"`
	OrOpaque string        `json:"orOpaque" validate:"json|eq=x"`
	Colour   string        `json:"colour" validate:"omitempty,iscolor"`
	Escaped  string        `json:"escaped" validate:"oneof='a0x2Cb' 'c0x7Cd'"`
	Day      string        `json:"day" validate:"datetime=2006-01-02"`
	Clock    string        `json:"clock" validate:"datetime=15:04"`
	Struct   pair          `json:"struct" validate:"required"`
	Time     time.Time     `json:"time" validate:"required"`
	Past     time.Time     `json:"past" validate:"lt"`
	Wait     time.Duration `json:"wait" validate:"min=1s,max=1h"`
	ID       uuid.UUID     `json:"id" validate:"uuid4"`
	Lists    [2]bool       `json:"lists" validate:"required"`
}

type crossing struct {
	Kind  string `json:"kind" validate:"oneof=card cash"`
	Card  string `json:"card,omitempty" validate:"required_if=Kind card"`
	Cash  *int   `json:"cash,omitempty" validate:"excluded_unless=Kind cash"`
	Mail  string `json:"mail" validate:"oneof=a@b.de c@d.de"`
	Again string `json:"again" validate:"eqfield=Mail"`
}

type ordered struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to" validate:"gtfield=From"`
	Either *pair     `json:"either,omitempty" validate:"required_without=Other"`
	Other  *pair     `json:"other,omitempty" validate:"required_without=Either"`
	Nested pair      `json:"nested"`
	Big    int       `json:"big" validate:"gtefield=Nested.A"`
}

type tree1 struct {
	Value int      `json:"value" validate:"min=0"`
	Left  *tree1   `json:"left,omitempty"`
	Kids  []tree1  `json:"kids"`
	Map   linked   `json:"map,omitempty"`
	Deep  [][]deep `json:"deep,omitempty"`
}

type linked map[string]linked

type deep []deep

type base struct {
	ID   string `json:"id" validate:"uuid"`
	Kind string `json:"kind"`
}

type embedding struct {
	base
	Base2
	Kind string             `json:"kind" validate:"eqfield=Extra|eq=x"`
	Page page[pair, string] `json:"page"`
	More page[base, *int]   `json:"more"`
	Pair pair               `json:"pair"`
}

// Base2 is embedded by its exported name.
type Base2 struct {
	Extra string `json:"extra" validate:"nefield=Other"`
	Other string `json:"other"`
}

type page[T, N any] struct {
	Items []T `json:"items" validate:"max=3"`
	Next  N   `json:"next"`
}

func fixedTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[kinds](), reflect.TypeFor[forms](), reflect.TypeFor[keyed](), reflect.TypeFor[presence](),
		reflect.TypeFor[numbers](), reflect.TypeFor[collections](), reflect.TypeFor[strict](), reflect.TypeFor[crossing](), reflect.TypeFor[ordered](),
		reflect.TypeFor[tree1](), reflect.TypeFor[embedding](), reflect.TypeFor[map[string]pair](), reflect.TypeFor[struct{}](),
	}
}
