package plan

// IsObject reports whether every value of p is written as a JSON object.
func (p *Plan) IsObject() bool {
	switch p.Kind {
	case Struct, Map:
		return true
	case Custom:
		return p.roots.onlyObject()
	default:
		return false
	}
}

// HasCites reports whether a field that is tagged cite lies in p or below it.
func (p *Plan) HasCites() bool { return p.cites }

// HasSecrets reports whether a field that is tagged secret lies in p or below it.
func (p *Plan) HasSecrets() bool { return p.secrets }
