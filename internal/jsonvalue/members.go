package jsonvalue

import "iter"

// Members iterates over the members of the object that data holds: names as they read, values as they are written,
// without white space around them. It stops where data is no JSON; use [Check] first. The values are parts of data.
func Members(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		r := Reader{Data: data, MaxDepth: maxMemberDepth}
		if r.Peek() != '{' || r.Open() != OK || !r.First('}') {
			return
		}
		for more := true; more; {
			text, _, fault := r.Name()
			if fault != OK {
				return
			}
			name := string(text)
			r.Space()
			start := r.Pos
			if r.Skip(nil) != OK || !yield(name, data[start:r.Pos]) {
				return
			}
			if more, fault = r.Next('}'); fault != OK {
				return
			}
		}
	}
}

// maxMemberDepth bounds the recursion over documents that were read with a limit of their own before.
const maxMemberDepth = 10_000
