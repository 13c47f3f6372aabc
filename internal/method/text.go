package method

import (
	"reflect"
	"strings"
)

// typeText shows a type as its reader writes it: package name and type name, with the arguments of a generic type cut of
// their package paths.
func typeText(t reflect.Type) string {
	var b, word strings.Builder
	flush := func() {
		text := word.String()
		text = text[strings.LastIndexByte(text, '/')+1:]
		name, _, _ := strings.Cut(text, "·") // The compiler numbers the types that are declared in a function.
		b.WriteString(name)
		word.Reset()
	}
	for _, c := range t.String() {
		if strings.ContainsRune("[]*(), {}", c) {
			flush()
			b.WriteRune(c)
			continue
		}
		word.WriteRune(c)
	}
	flush()
	return b.String()
}

// shortText shows a type without its package.
func shortText(t reflect.Type) string {
	text := typeText(t)
	name, arguments, generic := strings.Cut(text, "[")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if generic {
		return name + "[" + arguments
	}
	return name
}

func listText(types []reflect.Type) string {
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = typeText(t)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// parametersText shows what a method takes behind its receiver.
func parametersText(f reflect.Type) string {
	var texts []string
	for i := 1; i < f.NumIn(); i++ {
		if f.IsVariadic() && i == f.NumIn()-1 {
			texts = append(texts, "..."+typeText(f.In(i).Elem()))
			continue
		}
		texts = append(texts, typeText(f.In(i)))
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// funcText shows the signature of a method without its receiver.
func funcText(f reflect.Type) string {
	switch f.NumOut() {
	case 0:
		return "func" + parametersText(f)
	case 1:
		return "func" + parametersText(f) + " " + typeText(f.Out(0))
	default:
		return "func" + parametersText(f) + " " + resultsText(f)
	}
}

func resultsText(f reflect.Type) string {
	if f.NumOut() == 0 {
		return "nothing"
	}
	var types []reflect.Type
	for i := range f.NumOut() {
		types = append(types, f.Out(i))
	}
	return listText(types)
}
