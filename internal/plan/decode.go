package plan

import "reflect"

// Decode reads one document into v, which must be addressable and zero, strictly. It returns nil if the document is
// accepted; otherwise v is partly filled and must not be used. v shares no memory with data.
func (p *Plan) Decode(data []byte, v reflect.Value, l Limits) *Issues {
	return &Issues{List: []Issue{{Rule: RuleSyntax, Message: "documents are not read yet"}}}
}
