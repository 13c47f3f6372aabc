// Package tags reads struct tags: text in, plain structs out. It knows nothing of types, of reflection or of what the
// options mean to a registry.
//
// [Parse] reads the whole text of a struct tag and reports what Go's own lookup would drop in silence. [ParseJSON] reads
// the value of a json key. The others read the value of a cap key, whose form is
//
//	cap:"<description>; <option>; <key>=<value>"
//
// The items are split at semicolons and blanks around them are trimmed. The first item is always the description, which
// may be empty. A literal semicolon is written \\; in a Go tag, which is \; in its value; any other backslash stands for
// itself. A value may contain equals signs. What is known depends on where the tag stands:
//
//	contract marker   name= title= access=public|authenticated|rule scope= (repeatable) timeout= idempotent destructive
//	                  openworld reversible irreversible deprecated=            read by [ParseContract]
//	failure marker    tag= fix= retry=                                         read by [ParseFailure]
//	service marker    access= scope= (repeatable) timeout=                     read by [ParseService]
//	field             example= default= format= secret cite version deprecated=  read by [ParseField]
//
// Whatever is unknown, repeated, misplaced or malformed is a [Problem], and all problems of a text are reported at once.
// A value with a problem is still returned as it is written where its type allows, so that a caller does not report it
// as missing as well.
package tags
