package name

import (
	"regexp"
	"strings"
)

// Java and Kotlin compilers generate methods whose names contain numbers and hashes that differ
// between builds.
var (
	// lambdaClass matches the class of a lambda, as named by Android's old and new desugaring, the
	// JDK and Retrolambda. The first group is the part of the name to keep. Some profilers write _
	// instead of the number.
	lambdaClass = regexp.MustCompile(`^(?:(-\$\$Lambda(?:\$.+)?)\$[\w-]{20,}|(.*\$\$(?:External|Internal)SyntheticLambda)\$?\d.*|([^-].*\$\$Lambda)[$/_].*)$`)
	// generatedClass matches a class that the JDK generated at run time: an accessor for
	// reflection, or a proxy.
	generatedClass = regexp.MustCompile(`^(?:(Generated(?:Method|Constructor|SerializationConstructor)Accessor)(?:\d+|_)|(\$Proxy)\d+)$`)
	// lambdaBody matches the method with the body of a lambda. javac writes lambda$outer$0,
	// sometimes followed by the class that it was moved from. Kotlin writes outer$lambda$0 and
	// outer$lambda-0.
	lambdaBody = regexp.MustCompile(`^(?:(lambda\$.+?)\$[0-9a-f]+(?:\$.*)?|(.+?\$lambda)[$-]\d+(?:\$.*)?|(\$r8\$lambda)\$.*)$`)
	// accessor matches a method that gives another class access to a private member. javac, Kotlin,
	// Jack and D8 generate such methods.
	accessor = regexp.MustCompile(`^(?:access\$.+|-(?:wrap|get|set)\d+|-\$\$Nest\$.+|\$r8\$lambda.*)$`)
)

// Plain returns the method without the numbers and hashes of compilers and the JDK. All
// lambdas of one method get the same name.
func (m Method) Plain() Method {
	switch {
	case m.Lang != JVM:
	case strings.Contains(m.Type, "Lambda") || strings.Contains(m.Name, "lambda"):
		m.Type, m.Name = keep(lambdaClass, m.Type), keep(lambdaBody, m.Name)
	case strings.HasPrefix(m.Type, "Generated") || strings.HasPrefix(m.Type, "$Proxy"):
		m.Type = keep(generatedClass, m.Type)
		if strings.HasPrefix(m.Scope, "jdk.proxy") { // The JDK numbers these packages by class loader.
			m.Scope = strings.TrimRight(m.Scope, "0123456789")
		}
	}
	return m
}

// Bare returns the method without the parts that some recorders omit: the mark, the JVM's
// descriptor, and the library of native code.
func (m Method) Bare() Method {
	m = m.Unmarked()
	switch m.Lang {
	case JVM:
		m.Signature = ""
	case Native, CPP:
		// The module may be a path. The label has only the end of the path.
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

// keep returns the part of a text that a pattern's groups match. If there is none, it returns the
// text unchanged.
func keep(pattern *regexp.Regexp, text string) string {
	for i, group := range pattern.FindStringSubmatch(text) {
		if i > 0 && group != "" {
			return group
		}
	}
	return text
}

// IsLambda reports whether the method belongs to the class of a lambda.
func (m Method) IsLambda() bool {
	return m.Lang == JVM && (strings.Contains(m.Type, "$$Lambda") || strings.Contains(m.Type, "SyntheticLambda"))
}

// IsStub reports whether the compiler generated the method to forward a call: an accessor, or a
// method for Kotlin's default arguments.
func (m Method) IsStub() bool {
	return m.Lang == JVM && (strings.HasSuffix(m.Name, "$default") || strings.ContainsAny(m.Name, "$-") && accessor.MatchString(m.Name))
}
