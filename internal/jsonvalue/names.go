package jsonvalue

// fewNames is how many names of one object are compared one by one. More are kept in a map, so that objects with many
// members stay linear.
const fewNames = 16

// name is one name of an open object: a piece of the document, or its own text if it has escapes.
type name struct {
	from, to int
	text     string
}

// nameSet finds names that appear twice in one object. The names of all open objects share one stack.
type nameSet struct {
	base int
	many map[string]struct{}
}

// add reports whether text is new. start is where its literal begins in r.Data.
func (s *nameSet) add(r *Reader, text []byte, start int) bool {
	if s.many != nil {
		return s.addMany(text)
	}
	for i := s.base; i < len(r.names); i++ {
		if r.names[i].equals(r.Data, text) {
			return false
		}
	}
	n := name{from: start + 1, to: start + 1 + len(text)}
	if n.to >= len(r.Data) || r.Data[n.to] != '"' || string(r.Data[n.from:n.to]) != string(text) {
		n = name{text: string(text)} // escapes make the literal longer than the text
	}
	r.names = append(r.names, n)
	if len(r.names)-s.base > fewNames {
		s.many = make(map[string]struct{}, 4*fewNames)
		for _, n := range r.names[s.base:] {
			s.many[n.in(r.Data)] = struct{}{}
		}
		r.names = r.names[:s.base]
	}
	return true
}

func (s *nameSet) addMany(text []byte) bool {
	if _, known := s.many[string(text)]; known {
		return false
	}
	s.many[string(text)] = struct{}{}
	return true
}

func (n *name) equals(data, text []byte) bool {
	if n.to > 0 {
		return string(data[n.from:n.to]) == string(text)
	}
	return n.text == string(text)
}

func (n *name) in(data []byte) string {
	if n.to > 0 {
		return string(data[n.from:n.to])
	}
	return n.text
}
