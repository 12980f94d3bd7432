package source

import (
	"strconv"
	"strings"
)

// madeClass says how a class that is not in the source was made.
type madeClass uint8

const (
	notMade madeClass = iota
	// madeLambda: a class for a lambda, whose name tells no more than the class
	// around it.
	madeLambda
	// madeHolder: a class for the static code of another, such as the bodies of an
	// interface's methods, which take the instance as first parameter.
	madeHolder
	// madeOther: any other; what it holds cannot be told.
	madeOther
)

// class returns the types that a class's name means. Rest are the segments, parted
// by dollar signs, that name no type: Kotlin names classes of lambdas after the
// functions around them.
func (x *Index) class(name string) (types []typeRef, rest []string, made madeClass) {
	if types = x.types[name]; len(types) > 0 {
		return types, nil, notMade
	}
	name, made = unmade(name)
	for {
		if types = x.types[name]; len(types) > 0 {
			return types, rest, made
		}
		// A dollar sign that begins or ends a name does not part anything.
		i := strings.LastIndexByte(name, '$')
		if i <= 0 || name[i-1] == '.' || strings.IndexByte(name[i:], '.') >= 0 || len(rest) > 64 {
			return nil, nil, notMade
		}
		rest = append([]string{name[i+1:]}, rest...)
		name = name[:i]
	}
}

// unmade returns the class that a class was made for.
func unmade(name string) (string, madeClass) {
	simple := strings.LastIndexByte(name, '.') + 1
	if outer, ok := strings.CutPrefix(name[simple:], "-$$Lambda$"); ok {
		// -$$Lambda$Outer$hash
		if i := strings.LastIndexByte(outer, '$'); i > 0 {
			return name[:simple] + outer[:i], madeLambda
		}
		return name[:simple] + outer, madeLambda
	}
	for _, mark := range []struct {
		text string
		made madeClass
	}{
		{"$$ExternalSyntheticLambda", madeLambda},
		{"$$InternalSyntheticLambda", madeLambda},
		{"$$Lambda", madeLambda},
		{"$$inlined$", notMade},
		{"$DefaultImpls", madeHolder},
		{"$-CC", madeHolder},
		{"$$CC", madeHolder},
		{"$WhenMappings", madeOther},
		{"$EntriesMappings", madeOther},
		{"$Creator", madeOther},
		{"$$serializer", madeOther},
		{"$$ExternalSynthetic", madeOther},
		{"$$InternalSynthetic", madeOther},
		{"$$Nest", madeOther},
	} {
		if i := strings.Index(name[simple:], mark.text); i > 0 {
			return name[:simple+i], mark.made
		}
	}
	return name, notMade
}

// A madeName is what the name of a method that a compiler made tells.
type madeName struct {
	// base is the method or the property it was made for.
	base string
	kind madeKind
	// number is that of a lambda, -1 if the name has none; depth is how many
	// lambdas the name nests.
	number, depth int
}

type madeKind uint8

const (
	// madeStub stands for base and takes its parameters, with more before or
	// behind them.
	madeStub madeKind = iota
	// madeBody is a lambda in base.
	madeBody
	// madeAccess reads or writes the field or property base.
	madeAccess
	// madeUnknown belongs to the class, but nothing tells to what in it.
	madeUnknown
)

// methodMade reads the name of a method that is not in the source.
func methodMade(name string) (madeName, bool) {
	if strings.HasPrefix(name, "$r8$") || strings.HasPrefix(name, "$$") {
		return madeName{kind: madeUnknown}, true
	}
	if rest, ok := strings.CutPrefix(name, "lambda$"); ok {
		return javaLambda(rest)
	}
	if i := strings.Index(name, "$lambda"); i > 0 && (strings.HasPrefix(name[i+7:], "$") || strings.HasPrefix(name[i+7:], "-")) {
		m := madeName{base: strings.TrimSuffix(name[:i], "_delegate"), kind: madeBody, number: -1, depth: strings.Count(name, "$lambda")}
		if n, err := strconv.Atoi(name[strings.LastIndexAny(name, "$-")+1:]); err == nil {
			m.number = n
		}
		switch m.base {
		case "_init_":
			m.base = "<init>"
		}
		m.base = accessedProperty(m.base)
		return m, true
	}
	for prefix, kind := range accessPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return madeName{base: rest, kind: kind, number: -1}, true
		}
	}
	if rest, ok := strings.CutPrefix(name, "access$"); ok {
		return accessMade(rest), true
	}
	for _, prefix := range []string{"$default$", "$private$", "-$$Nest$sm", "-$$Nest$m"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return madeName{base: rest, number: -1}, true
		}
	}
	switch name {
	case "$deserializeLambda$", "$values", "$jacocoInit":
		return madeName{kind: madeUnknown}, true
	}
	if base, ok := strings.CutSuffix(name, "$annotations"); ok {
		return madeName{base: accessedProperty(base), kind: madeAccess, number: -1}, true
	}
	// bar$default, bar$suspendImpl, bar$module, bar-hash, bar$lambda-free local
	// functions: outer$local.
	if i := strings.IndexAny(name, "$-"); i > 0 {
		return madeName{base: name[:i], number: -1}, true
	}
	return madeName{}, false
}

// accessPrefixes begin what D8 and javac name methods that reach private fields.
var accessPrefixes = map[string]madeKind{
	"-$$Nest$fget": madeAccess, "-$$Nest$fput": madeAccess, "-$$Nest$sfget": madeAccess, "-$$Nest$sfput": madeAccess,
}

// javaLambda reads onCreate$0, which D8 may follow with $com-example-Foo, and
// javac precede with a hash.
func javaLambda(rest string) (madeName, bool) {
	m := madeName{kind: madeBody, number: -1, depth: 1}
	parts := strings.Split(rest, "$")
	at := -1
	for i := 1; i < len(parts); i++ {
		if n, err := strconv.Atoi(parts[i]); err == nil {
			m.number, at = n, i
			break
		}
	}
	if at < 0 {
		return madeName{kind: madeUnknown}, true
	}
	if at == 2 {
		// A serialisable one counts for itself.
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

// accessMade reads what follows access$: a number by javac, the method's name or
// the property's accessor by Kotlin.
func accessMade(rest string) madeName {
	if _, err := strconv.Atoi(rest); err == nil {
		return madeName{kind: madeUnknown}
	}
	for _, suffix := range []string{"$p", "$cp"} {
		if base, ok := strings.CutSuffix(rest, suffix); ok {
			return madeName{base: accessedProperty(base), kind: madeAccess, number: -1}
		}
	}
	if i := strings.IndexByte(rest, '$'); i > 0 {
		rest = rest[:i]
	}
	return madeName{base: rest, number: -1}
}

// accessedProperty is the property that an accessor's name means: getFoo's is foo.
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

// isAccessor tells whether a method's name is that of a property's getter or
// setter.
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
