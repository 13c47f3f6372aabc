package tags

// A Field is what the cap tag of a field says.
type Field struct {
	Description string
	Example     string
	HasExample  bool
	Default     string // text for strings, JSON for the rest; may be empty when HasDefault is set
	HasDefault  bool
	Format      string
	HasFormat   bool
	Secret      bool   // never shown, logged or echoed
	Cite        bool   // names an object that the output speaks of
	Version     bool   // the version of the object
	Deprecated  string // what to use instead, or why
}

// ParseField reads the cap tag of a field.
func ParseField(text string) (Field, []Problem) {
	r := optionReader{at: onField}
	description, settings := r.read(text)
	f := Field{Description: description}
	for _, s := range settings {
		switch s.name {
		case "example":
			f.Example, f.HasExample = s.value, true
		case "default":
			f.Default, f.HasDefault = s.value, true
		case "format":
			f.Format, f.HasFormat = s.value, true
		case "secret":
			f.Secret = true
		case "cite":
			f.Cite = true
		case "version":
			f.Version = true
		case "deprecated":
			f.Deprecated = s.value
		}
	}
	return f, r.problems
}
