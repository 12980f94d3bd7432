// Package outline reduces a source file to its types, the members that have code, and their call
// sites. This suffices for mapping compiled names to positions.
//
// Types have the names that compilers give them. javac numbers the anonymous and local classes of
// an enclosing class in the order in which it attributes them. This is the order of the text,
// except that lambda arguments of a call come after its other arguments. javac numbers the lambdas
// of a class in the order in which they end. kotlinc names anonymous objects and lambdas after the
// enclosing functions, properties and variables. It numbers equal names in the order of the text.
//
// An outline does not refer to the syntax tree from which it was made. It is immutable.
package outline

// None is the index used where a type or a member is missing.
const None = -1

// A File is the outline of one source file.
type File struct {
	Package string
	Kotlin  bool
	// Broken is set if the file has a syntax error, or syntax that the parser does not support.
	Broken bool
	// Lines is the number of lines.
	Lines   uint32
	Imports []Import
	// Aliases are the file's type aliases.
	Aliases []Alias
	// Facade is a class that joins the functions of several files (a JvmMultifileClass). Other code
	// calls this file's functions through it. It is empty if there is no such class.
	Facade string
	// Types has every type. Enclosing types come first. In Kotlin, the first type is the class that
	// holds the file's top-level functions.
	Types   []Type
	Members []Member
	Sites   []Site
	// Sections has the calls that begin slices in traces.
	Sections []Section
	// Suppressed has the parts of the file in which findings are suppressed. See File.Suppresses.
	Suppressed []Extent
	// Names has the texts to which sites refer by index. The first text is empty.
	Names []string
	// args has the types of sites' arguments, as indices into Names.
	args []uint32
}

// An Import is a name that a file imports.
type Import struct {
	// Name is the dotted name. For an import with a wildcard, it lacks the final ".*".
	Name string
	// Alias is the name that the file gives to the import. It is empty if there is no alias.
	Alias    string
	Wildcard bool
	Static   bool
}

// An Alias is another name for a type.
type Alias struct{ Name, Type string }

// A Place is the position of a name. It is within one line.
type Place struct {
	// Offset is in bytes, from the start of the file.
	Offset uint32
	// Line and Column count from 0, columns in UTF-16 units.
	Line, Column uint32
	// Bytes and Width are the name's length in bytes and in UTF-16 units.
	Bytes, Width uint16
}

// An Extent is a part of a file from Start up to, but not including, End.
type Extent struct {
	Start, End             uint32
	StartLine, StartColumn uint32
	EndLine, EndColumn     uint32
}

// HasLine reports whether the extent includes a line. Like compilers, it counts lines from 1.
func (e Extent) HasLine(line int) bool {
	return line > 0 && uint32(line-1) >= e.StartLine && uint32(line-1) <= e.EndLine
}

// TypeKind is the kind of a type.
type TypeKind uint8

// The kinds of types.
const (
	Class TypeKind = iota
	Interface
	Enum
	Record
	Annotation
	Object
	Companion
	// Facade is the class that holds the top-level functions of a Kotlin file.
	Facade
	// Anonymous is an anonymous class or object, or the body of an enum constant.
	Anonymous
)

// A Type is a class or interface.
type Type struct {
	// Name is the binary name without the package, such as Outer$Inner.
	Name string
	Kind TypeKind
	// Inner is set for a type whose instances have an outer instance. It is also set for a type in
	// a function, which may capture variables.
	Inner bool
	Local bool
	Data  bool
	// Value is set for Kotlin's value classes. Compiled code uses the value instead of the object.
	Value bool
	// Outer is the enclosing type, and Owner the enclosing member. Each may be None.
	Outer, Owner int32
	// Super is the superclass as written in the source, without type arguments, or "" if the source
	// states none. Interfaces are as written in the source, too.
	Super      string
	Interfaces []string
	At         Place
	Extent     Extent
	// HeaderEndLine is the line on which the body begins.
	HeaderEndLine uint32
}

// MemberKind is the kind of a member.
type MemberKind uint8

// The kinds of members.
const (
	Method MemberKind = iota
	Constructor
	// Initializer is an initializer block or the initial value of a field.
	Initializer
	// Property is a Kotlin property, with or without an initial value. It is also a component of a
	// Java record, and a field without code.
	Property
	Getter
	Setter
	Lambda
	// Reference is a method reference. The compiler may generate a class or a method for it.
	Reference
)

// A Member is a part of a type that can have code.
type Member struct {
	Kind MemberKind
	// Static is set for members that belong to the type, not to an instance.
	Static bool
	// Suspend, Inline and Abstract are set by the keywords of these names. Suspend is also set for
	// lambdas that the source shows to be suspending.
	Suspend  bool
	Inline   bool
	Abstract bool
	Varargs  bool
	// Overloads is set by the annotation JvmOverloads. The compiler then adds overloads without the
	// last parameters with default values.
	Overloads bool
	// Delegated is set for a property that is delegated to another object, by the keyword by.
	Delegated bool
	// Primary is set for the constructor in a class header, and for the implicit constructor of a
	// class that declares none.
	Primary bool
	// Field is set for an Initializer that is a field's initial value, and for a Property with an
	// initial value.
	Field bool
	// Local is set for functions inside functions.
	Local bool
	// Extension is set for Kotlin's extension functions. Their first parameter is the receiver.
	Extension bool
	Type      int32
	// Parent is the enclosing member, or None for a direct member of the type.
	Parent int32
	// Name is the name in the source, without backticks. It is empty for lambdas.
	Name string
	// PassedTo is the name of the function to which a lambda is passed, or "".
	PassedTo string
	// JVM is the name given by a JvmName annotation, or "". For a property, JVM is the name of its
	// getter, and JVMSetter that of its setter.
	JVM, JVMSetter string
	// Path is the name of the class that the compiler generates for a lambda, without
	// the package.
	Path string
	// Counted is set for a method reference that javac turns into a lambda.
	Counted bool
	// Crossinline is set for a function that contains a class which calls a lambda argument.
	Crossinline bool
	// Params are the types of the parameters in Java's notation, without type arguments.
	// Unknown types are empty. The receiver of an extension comes first.
	Params []string
	// Defaults counts parameters that have default values.
	Defaults int
	Result   string
	// Inferred is a function's result type, inferred from its body if the source does not state the
	// type. It may be a path such as Foo#bar(), like the receiver of a site.
	Inferred string
	// First is the line of a lambda's first statement, counted from 0.
	First  uint32
	At     Place
	Extent Extent
}

// SiteKind is the kind of a site.
type SiteKind uint8

// The kinds of sites.
const (
	// Call is a call by name. In Kotlin, it may be a constructor call.
	Call SiteKind = iota
	// New is `new X(…)`. Super is a constructor call to the superclass, or to the class itself.
	New
	Super
	// Ref is a method reference. If it refers to a constructor, Name is the class.
	Ref
	// Read and Write are property accesses in Kotlin.
	Read
	Write
	// Implied is code that calls a method without naming it, such as a loop over an iterable or a
	// string concatenation. Name is the method's name.
	Implied
)

// ArgKind is the kind of an argument, as far as the source shows it.
type ArgKind uint8

// The kinds of arguments.
const (
	Unknown ArgKind = iota
	String
	Int
	Long
	Float
	Char
	Bool
	Null
	Function
	Instance
	Array
)

// MaxArgs is the number of arguments of a site whose kinds are stored. Further ones are Unknown.
const MaxArgs = 8

// A Site is code that calls something.
type Site struct {
	At Place
	// Name and Receiver are indices into File.Names. The text of Receiver is the receiver's static
	// type, such as Foo, or Foo#bar() for the result of Foo's method bar. It is "super" for a call
	// on super, and empty if the type is unknown or there is no receiver.
	Name, Receiver uint32
	// Owner is the innermost member that contains the site.
	Owner int32
	// kinds has 4 bits per argument. types is the index in File.args of the types of the first
	// MaxArgs arguments. It is 0 if all types are unknown.
	kinds, types uint32
	// Count is the number of arguments.
	Count uint8
	Kind  SiteKind
	flags siteFlags
	// Tail is the part of the call after its name, up to the end of the name's line.
	Tail Tail
}

type siteFlags uint8

const (
	spreadArgument siteFlags = 1 << iota
	staticReceiver
	defaultValue
)

// Spread reports whether an argument is an array that is spread over several parameters.
func (s *Site) Spread() bool { return s.flags&spreadArgument != 0 }

// Static reports whether the receiver is a type rather than a value.
func (s *Site) Static() bool { return s.flags&staticReceiver != 0 }

// Default reports whether the site is in the default value of a parameter. Kotlin compiles such
// code into a separate method.
func (s *Site) Default() bool { return s.flags&defaultValue != 0 }

// A Tail is the length of the text after a name on the same line, in bytes and in UTF-16 units.
type Tail struct{ Bytes, Width uint16 }

// Arg returns the kind of argument i.
func (s *Site) Arg(i int) ArgKind {
	if i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return Unknown
	}
	return ArgKind(s.kinds >> (4 * i) & 15)
}

// ArgType returns the type of argument i, such as Foo or Foo#bar(). It is empty if the type is
// unknown.
func (f *File) ArgType(s *Site, i int) string {
	if s.types == 0 || i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return ""
	}
	return f.Names[f.args[int(s.types)+i]]
}
