package plan_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	p, problems := plan.New(plan.Config{}).Compile(reflect.TypeFor[order]())
	require.Empty(t, problems)
	data := sampleOrder(t, 3)
	v := reflect.New(p.Type).Elem()
	require.Nil(t, p.Decode(data, v, plan.Limits{}))
	var want order
	require.NoError(t, json.Unmarshal(data, &want))
	require.Equal(t, want, v.Interface())
	got, issues := p.Encode(nil, v, plan.Limits{})
	require.Nil(t, issues)
	require.Equal(t, string(data), string(got))
}

// TestStrangeValues hands over values that the plan is not of.
func TestStrangeValues(t *testing.T) {
	t.Parallel()
	p := compile[inner](t)
	for name, v := range map[string]reflect.Value{
		"nothing":       {},
		"another type":  reflect.New(reflect.TypeFor[int]()).Elem(),
		"not to be set": reflect.ValueOf(inner{}),
		"pointer to it": reflect.ValueOf(&inner{}),
	} {
		require.NotNil(t, p.Decode([]byte(`{"a":1}`), v, plan.Limits{}), name)
		if name == "not to be set" {
			continue
		}
		_, issues := p.Encode(nil, v, plan.Limits{})
		require.NotNil(t, issues, name)
		_, issues = p.EncodeInput(nil, v, plan.Limits{})
		require.NotNil(t, issues, name)
	}
}
