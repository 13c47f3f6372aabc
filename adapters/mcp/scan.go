package capmcp

// The functions of this file find values in JSON that has been read before, without decoding it. On anything that they do
// not expect they give up: what is wrong with a document is for the registry to say.

// member is one member of an object: its name as written, quotes included, and its value.
type member struct{ name, value []byte }

// membersOf splits an object. ok is false when data is none.
func membersOf(data []byte) (members []member, ok bool) {
	ok = eachMember(data, func(m member) { members = append(members, m) })
	return members, ok
}

// eachMember visits the members of an object. It returns false when data is none, be it in the midst of it.
func eachMember(data []byte, visit func(member)) bool {
	i, empty, ok := openGroup(data, '{', '}')
	if !ok || empty {
		return ok
	}
	for {
		name, after := valueAt(data, i)
		if name == nil || name[0] != '"' {
			return false
		}
		i = skipBlanks(data, after)
		if i >= len(data) || data[i] != ':' {
			return false
		}
		value, after := valueAt(data, skipBlanks(data, i+1))
		if value == nil {
			return false
		}
		visit(member{name, value})
		if i = skipBlanks(data, after); i >= len(data) || data[i] != ',' {
			return i < len(data) && data[i] == '}'
		}
		i = skipBlanks(data, i+1)
	}
}

// eachElement visits the elements of an array. It returns false when data is none, be it in the midst of it.
func eachElement(data []byte, visit func(element []byte)) bool {
	i, empty, ok := openGroup(data, '[', ']')
	if !ok || empty {
		return ok
	}
	for {
		value, after := valueAt(data, i)
		if value == nil {
			return false
		}
		visit(value)
		if i = skipBlanks(data, after); i >= len(data) || data[i] != ',' {
			return i < len(data) && data[i] == ']'
		}
		i = skipBlanks(data, i+1)
	}
}

// openGroup finds where the first member or element of a group begins.
func openGroup(data []byte, open, end byte) (first int, empty, ok bool) {
	i := skipBlanks(data, 0)
	if i >= len(data) || data[i] != open {
		return 0, false, false
	}
	i = skipBlanks(data, i+1)
	return i, i < len(data) && data[i] == end, true
}

func skipBlanks(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// valueAt gives the value that begins at i, and where it ends. It is nil when there is none.
func valueAt(data []byte, i int) (value []byte, end int) {
	if i >= len(data) {
		return nil, i
	}
	switch data[i] {
	case '"':
		end = stringEnd(data, i)
	case '{', '[':
		end = groupEnd(data, i)
	default:
		end = i
		for end < len(data) && !isDelimiter(data[end]) {
			end++
		}
	}
	if end <= i {
		return nil, i
	}
	return data[i:end], end
}

func isDelimiter(b byte) bool {
	switch b {
	case ',', ':', '}', ']', '{', '[', '"', ' ', '\n', '\t', '\r':
		return true
	default:
		return false
	}
}

// stringEnd gives where the string that begins at i ends, or 0.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// groupEnd gives where the object or array that begins at i ends, or 0.
func groupEnd(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = stringEnd(data, i); i == 0 {
				return 0
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return 0
}
