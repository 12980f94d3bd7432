package source

import (
	"strconv"
	"strings"
)

// A syntheticClass describes what a compiler generated a class for. Such a class is not declared in
// the source.
type syntheticClass uint8

const (
	notSynthetic syntheticClass = iota
	// syntheticLambda is the class of a lambda, such as Foo$$Lambda$1. Its name identifies only the
	// enclosing class.
	syntheticLambda
	// syntheticHolder is a class with static methods for another class, such as Foo$DefaultImpls.
	// For example, it has the bodies of an interface's methods, which take the instance as their
	// first parameter.
	syntheticHolder
	// syntheticOther is any other generated class, such as Foo$WhenMappings.
	syntheticOther
)

// class returns the types to which a compiled class name refers, and the rest of the name. For
// example, Foo$bar$1 is the class of a lambda in function bar of Foo. The sources have the type Foo
// only, so rest is bar and 1.
func (x *Index) class(name string) (types []typeRef, rest []string, synthetic syntheticClass) {
	if types = x.types[name]; len(types) > 0 {
		return types, nil, notSynthetic
	}
	name, synthetic = sourceClass(name)
	for {
		if types = x.types[name]; len(types) > 0 {
			return types, rest, synthetic
		}
		// A dollar sign at the start or end of a simple name does not separate segments.
		i := strings.LastIndexByte(name, '$')
		if i <= 0 || name[i-1] == '.' || strings.IndexByte(name[i:], '.') >= 0 || len(rest) > 64 {
			return nil, nil, notSynthetic
		}
		rest = append([]string{name[i+1:]}, rest...)
		name = name[:i]
	}
}

// sourceClass returns the declared class for which a synthetic class was generated. It returns
// other names unchanged.
func sourceClass(name string) (string, syntheticClass) {
	simple := strings.LastIndexByte(name, '.') + 1
	if outer, ok := strings.CutPrefix(name[simple:], "-$$Lambda$"); ok {
		// This name is like -$$Lambda$Outer$hash.
		if i := strings.LastIndexByte(outer, '$'); i > 0 {
			return name[:simple] + outer[:i], syntheticLambda
		}
		return name[:simple] + outer, syntheticLambda
	}
	if outer, ok := strings.CutPrefix(name[simple:], "ComposableSingletons$"); ok {
		// This name is like ComposableSingletons$MainKt$lambda-1$1.
		outer, _, _ = strings.Cut(outer, "$")
		return name[:simple] + outer, syntheticLambda
	}
	for _, mark := range []struct {
		text  string
		class syntheticClass
	}{
		{"$$ExternalSyntheticLambda", syntheticLambda},
		{"$$InternalSyntheticLambda", syntheticLambda},
		{"$$Lambda", syntheticLambda},
		{"$DefaultImpls", syntheticHolder},
		{"$-CC", syntheticHolder},
		{"$$CC", syntheticHolder},
		{"$WhenMappings", syntheticOther},
		{"$EntriesMappings", syntheticOther},
		{"$Creator", syntheticOther},
		{"$$serializer", syntheticOther},
		{"$$ExternalSynthetic", syntheticOther},
		{"$$InternalSynthetic", syntheticOther},
		{"$$Nest", syntheticOther},
	} {
		if i := strings.Index(name[simple:], mark.text); i > 0 {
			return name[:simple+i], mark.class
		}
	}
	return name, notSynthetic
}

// TopLevel returns the top-level class that contains a recorded class, judging only by the name.
// For a generated class, it is the top-level class of the source.
func TopLevel(class string) string {
	class, _ = sourceClass(class)
	// A dollar sign at the start of a name is not a separator.
	for i := strings.LastIndexByte(class, '.') + 2; i < len(class); i++ {
		if class[i] == '$' {
			return class[:i]
		}
	}
	return class
}

// A syntheticName is the parsed name of a method that a compiler generated.
type syntheticName struct {
	// base is the method or property for which the method was generated.
	base string
	kind syntheticKind
	// number is the number of the lambda, or -1 if the name has none.
	number int
	// around has the numbers of all lambdas in the name, such as 1 and 0 for
	// onCreate$lambda$1$lambda$0. Only Kotlin 1.8 and later state them; otherwise it is nil.
	around []int
	// depth is the number of lambdas in the name, such as 2 for onCreate$lambda$1$lambda$0.
	depth int
}

type syntheticKind uint8

const (
	// stubMethod calls base. It has the parameters of base, with more parameters before or after
	// them.
	stubMethod syntheticKind = iota
	// lambdaMethod is the body of a lambda in base.
	lambdaMethod
	// accessMethod reads or writes the field or property base.
	accessMethod
	// unknownMethod belongs to the class, but its name does not identify a member.
	unknownMethod
)

// parseSynthetic parses the name of a method that a compiler generated. It returns false if
// compilers do not generate such a name.
func parseSynthetic(name string) (syntheticName, bool) {
	if strings.HasPrefix(name, "$r8$") || strings.HasPrefix(name, "$$") {
		return syntheticName{kind: unknownMethod}, true
	}
	if m, ok := parseKotlinLambda(name); ok {
		return m, true
	}
	if rest, ok := strings.CutPrefix(name, "lambda$"); ok {
		return parseJavaLambda(rest)
	}
	for prefix, kind := range accessPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return syntheticName{base: rest, kind: kind, number: -1}, true
		}
	}
	if rest, ok := strings.CutPrefix(name, "access$"); ok {
		return parseAccess(rest), true
	}
	for _, prefix := range []string{"$default$", "$private$", "-$$Nest$sm", "-$$Nest$m"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return syntheticName{base: rest, number: -1}, true
		}
	}
	switch name {
	case "$deserializeLambda$", "$values", "$jacocoInit":
		return syntheticName{kind: unknownMethod}, true
	}
	if base, ok := strings.CutSuffix(name, "$annotations"); ok {
		return syntheticName{base: accessedProperty(base), kind: accessMethod, number: -1}, true
	}
	// Examples are bar$default, bar$suspendImpl, bar$module and bar-hash. outer$local is a local
	// function that is not in a lambda.
	if i := strings.IndexAny(name, "$-"); i > 0 {
		return syntheticName{base: name[:i], number: -1}, true
	}
	return syntheticName{}, false
}

// accessPrefixes are the name prefixes of generated methods that access private fields.
var accessPrefixes = map[string]syntheticKind{
	"-$$Nest$fget": accessMethod, "-$$Nest$fput": accessMethod, "-$$Nest$sfget": accessMethod, "-$$Nest$sfput": accessMethod,
}

// parseKotlinLambda parses names such as onCreate$lambda$1 and onCreate$lambda$1$lambda$0, and
// those of older compilers such as onCreate$lambda-1. The name lambda$1$lambda$0 is an abbreviation
// of _init_$lambda$1$lambda$0.
func parseKotlinLambda(name string) (syntheticName, bool) {
	const mark = "$lambda"
	text := name
	if inner, ok := strings.CutPrefix(name, mark[1:]+"$"); ok && inner != "" && isDigit(inner[0]) && strings.Contains(inner, mark+"$") {
		text = "_init_$" + name
	}
	base, rest, ok := strings.Cut(text, mark)
	if !ok || base == "" || rest == "" || rest[0] != '$' && rest[0] != '-' {
		return syntheticName{}, false
	}
	m := syntheticName{kind: lambdaMethod, number: -1}
	for part := range strings.SplitSeq(rest, mark) {
		m.depth++
		n, err := strconv.Atoi(strings.TrimLeft(part, "$-"))
		if err != nil {
			n = -1
		}
		m.number = n
		if part != "" && part[0] == '$' {
			m.around = append(m.around, n)
		}
	}
	if m.depth != len(m.around) {
		m.around = nil
	}
	base = strings.TrimSuffix(base, "_delegate")
	switch {
	case base == "_init_":
		m.base = "<init>"
	case strings.HasPrefix(base, "_get_"), strings.HasPrefix(base, "_set_"):
		// The name is like _get_property_$lambda$0.
		m.base = strings.TrimSuffix(base[len("_get_"):], "_")
	default:
		m.base = accessedProperty(base)
	}
	return m, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseJavaLambda parses the part after lambda$ of names such as lambda$onCreate$0. D8 may append
// $com-example-Foo. For serializable lambdas, javac inserts a hash before the number.
func parseJavaLambda(rest string) (syntheticName, bool) {
	m := syntheticName{kind: lambdaMethod, number: -1, depth: 1}
	parts := strings.Split(rest, "$")
	at := -1
	for i := 1; i < len(parts); i++ {
		if n, err := strconv.Atoi(parts[i]); err == nil {
			m.number, at = n, i
			break
		}
	}
	if at < 0 {
		return syntheticName{kind: unknownMethod}, true
	}
	if at == 2 {
		// Serializable lambdas are numbered separately, so this number does not identify the
		// lambda.
		m.number = -1
	}
	switch m.base = parts[0]; m.base {
	case "new":
		m.base = "<init>"
	case "static":
		m.base = "<clinit>"
	}
	return m, true
}

// parseAccess parses the part of a name after access$. For javac, it is a number, as in access$000.
// For Kotlin, it is the name of a method or accessor, as in access$getFoo$p.
func parseAccess(rest string) syntheticName {
	if _, err := strconv.Atoi(rest); err == nil {
		return syntheticName{kind: unknownMethod}
	}
	for _, suffix := range []string{"$p", "$cp"} {
		if base, ok := strings.CutSuffix(rest, suffix); ok {
			return syntheticName{base: accessedProperty(base), kind: accessMethod, number: -1}
		}
	}
	if i := strings.IndexByte(rest, '$'); i > 0 {
		rest = rest[:i]
	}
	return syntheticName{base: rest, number: -1}
}

// accessedProperty returns the property of an accessor, such as foo for getFoo.
func accessedProperty(name string) string {
	for _, prefix := range []string{"get", "set"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && (rest[0] < 'a' || rest[0] > 'z') {
			return decapitalized(rest)
		}
	}
	return name
}

func decapitalized(s string) string {
	if s[0] >= 'A' && s[0] <= 'Z' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}

// isAccessor reports whether a method has the name of a property's getter or setter.
func isAccessor(name, property string, setter bool) bool {
	prefix := "get"
	if setter {
		prefix = "set"
	}
	if rest, ok := strings.CutPrefix(property, "is"); ok && rest != "" && (rest[0] < 'a' || rest[0] > 'z') {
		if setter {
			return name == "set"+rest
		}
		return name == property
	}
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || rest == "" || property == "" {
		return false
	}
	return rest == property || decapitalized(rest) == decapitalized(property) && rest[0] == upper(property[0])
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
