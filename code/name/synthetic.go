package name

import (
	"regexp"
	"strings"
)

// What compilers of Java and Kotlin put between two methods has names with numbers and
// hashes, which differ from build to build.
var (
	// lambdaClass is a class that stands for a lambda: of Android's desugaring, old and new,
	// of the JDK and of Retrolambda. Its first group stays. Some profilers write _ for the
	// number.
	lambdaClass = regexp.MustCompile(`^(?:(-\$\$Lambda(?:\$.+)?)\$[\w-]{20,}|(.*\$\$(?:External|Internal)SyntheticLambda)\$?\d.*|([^-].*\$\$Lambda)[$/_].*)$`)
	// madeClass is a class that the JDK made while the program ran: what reflection calls
	// by, and a proxy.
	madeClass = regexp.MustCompile(`^(?:(Generated(?:Method|Constructor|SerializationConstructor)Accessor)(?:\d+|_)|(\$Proxy)\d+)$`)
	// lambdaBody is a lambda's body: javac's lambda$outer$0, which may go on with the class
	// that it was moved from, and Kotlin's outer$lambda$0 and outer$lambda-0.
	lambdaBody = regexp.MustCompile(`^(?:(lambda\$.+?)\$[0-9a-f]+(?:\$.*)?|(.+?\$lambda)[$-]\d+(?:\$.*)?|(\$r8\$lambda)\$.*)$`)
	// accessor is a method that lets another class at a private member, by javac, Kotlin,
	// Jack and D8.
	accessor = regexp.MustCompile(`^(?:access\$.+|-(?:wrap|get|set)\d+|-\$\$Nest\$.+|\$r8\$lambda.*)$`)
)

// Plain returns the method without the numbers and hashes that a compiler of Java or Kotlin,
// or the JDK, gave to its name: of a lambda, all of one method have the same one.
func (m Method) Plain() Method {
	switch {
	case m.Lang != JVM:
	case strings.Contains(m.Type, "Lambda") || strings.Contains(m.Name, "lambda"):
		m.Type, m.Name = keep(lambdaClass, m.Type), keep(lambdaBody, m.Name)
	case strings.HasPrefix(m.Type, "Generated") || strings.HasPrefix(m.Type, "$Proxy"):
		m.Type = keep(madeClass, m.Type)
		if strings.HasPrefix(m.Scope, "jdk.proxy") { // a number for each class loader
			m.Scope = strings.TrimRight(m.Scope, "0123456789")
		}
	}
	return m
}

// Bare returns the method without what some recorders leave out: the mark; the JVM's
// descriptor; the library of native code.
func (m Method) Bare() Method {
	m = m.Unmarked()
	switch m.Lang {
	case JVM:
		m.Signature = ""
	case Native, CPP:
		// The module may be a path, of which the label has the end.
		if module, symbol, ok := strings.Cut(m.label, "`"); ok && strings.HasSuffix(m.Module, module) {
			m.Module, m.label = "", symbol
		}
	}
	return m
}

// Unmarked returns the method without its mark.
func (m Method) Unmarked() Method {
	m.label = strings.TrimSuffix(m.label, m.Mark)
	m.Mark = ""
	return m
}

// keep returns the group of a pattern that matched, and a text that does not match as it is.
func keep(pattern *regexp.Regexp, text string) string {
	for i, group := range pattern.FindStringSubmatch(text) {
		if i > 0 && group != "" {
			return group
		}
	}
	return text
}

// IsLambda reports whether the method is that of a class which stands for a lambda.
func (m Method) IsLambda() bool {
	return m.Lang == JVM && (strings.Contains(m.Type, "$$Lambda") || strings.Contains(m.Type, "SyntheticLambda"))
}

// IsStub reports whether a compiler made the method to hand a call on to another one: an
// accessor, or Kotlin's call with default arguments.
func (m Method) IsStub() bool {
	return m.Lang == JVM && (strings.HasSuffix(m.Name, "$default") || strings.ContainsAny(m.Name, "$-") && accessor.MatchString(m.Name))
}
