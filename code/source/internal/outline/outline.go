// Package outline reduces a source file to its types, to the members that have code, and to their
// call sites. This suffices for mapping compiled names to positions.
//
// The names are the names that compilers give. javac numbers the anonymous and local classes of an
// enclosing class in the order in which it attributes them. This is the order of the text, with one
// exception. Lambdas among the arguments of a call come after the other arguments. It numbers the
// lambdas of a class in the order in which they end. kotlinc names anonymous objects and lambdas
// after the enclosing functions, properties and variables. It numbers equal names in the order of
// the text.
//
// An outline does not refer to the tree from which it was made. It is immutable.
package outline

// None is the index of no type or no member.
const None = -1

// A File is the outline of one source file.
type File struct {
	Package string
	Kotlin  bool
	// Broken is set if the file has a syntax error, or syntax that the parser does not know.
	Broken bool
	// Lines counts the lines.
	Lines   uint32
	Imports []Import
	// Aliases are the file's type aliases.
	Aliases []Alias
	// Facade is a class that joins the functions of several files (a JvmMultifileClass). Other code
	// calls the functions of the file through it. It is empty if there is none.
	Facade string
	// Types has every type, enclosing ones first. In Kotlin, the first type is the class that holds
	// the functions of the file.
	Types   []Type
	Members []Member
	Sites   []Site
	// Sections has the calls that name parts of the work in traces.
	Sections []Section
	// Suppressed has the parts in which findings are suppressed. See File.Suppresses.
	Suppressed []Extent
	// Names has the texts to which sites refer by index. The first is empty.
	Names []string
	// args has the types of the arguments of sites, as indices in Names.
	args []uint32
}

// An Import is a name that a file imports.
type Import struct {
	// Name is the dotted name, without the star.
	Name string
	// Alias is the name that the file gives to the import. It is empty if the file gives none.
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

// An Extent is a part of a file without its end.
type Extent struct {
	Start, End             uint32
	StartLine, StartColumn uint32
	EndLine, EndColumn     uint32
}

// HasLine reports whether a line, counted from 1 as compilers do, is in the extent.
func (e Extent) HasLine(line int) bool {
	return line > 0 && uint32(line-1) >= e.StartLine && uint32(line-1) <= e.EndLine
}

// TypeKind is the kind of a type.
type TypeKind uint8

// The kinds of type.
const (
	Class TypeKind = iota
	Interface
	Enum
	Record
	Annotation
	Object
	Companion
	// Facade is the class that holds the functions of a Kotlin file.
	Facade
	// Anonymous is an anonymous class or object, or the body of an enum constant.
	Anonymous
)

// A Type is a class or interface.
type Type struct {
	// Name is the binary name without the package, as in Outer$Inner.
	Name string
	Kind TypeKind
	// Inner is set for a type whose instances have an outer instance, and for a type in a
	// function, which may capture variables.
	Inner bool
	Local bool
	Data  bool
	// Value is set for Kotlin's value classes. Compiled code has the value in place of the object.
	Value bool
	// Outer is the enclosing type. Owner is the enclosing member. Each may be None.
	Outer, Owner int32
	// Super is the superclass as written in the source, without type arguments. It is empty if
	// the source has none. Interfaces are written in the same way.
	Super      string
	Interfaces []string
	At         Place
	Extent     Extent
	// HeaderEndLine is the line on which the body begins.
	HeaderEndLine uint32
}

// MemberKind is the kind of a member.
type MemberKind uint8

// The kinds of member.
const (
	Method MemberKind = iota
	Constructor
	// Initializer is an initialiser block or the initial value of a field.
	Initializer
	// Property is a Kotlin property, with or without an initial value. It is also a component of a
	// record, and a field without code of its own.
	Property
	Getter
	Setter
	Lambda
	// Reference is a method reference, for which the compiler may generate a class or
	// a method.
	Reference
)

// A Member is a part of a type that may have code.
type Member struct {
	Kind MemberKind
	// Static is set for members without an instance.
	Static bool
	// Suspend, Inline and Abstract are set by the keywords of these names. Suspend is also set for
	// suspending lambdas, if the text shows that they are suspending.
	Suspend  bool
	Inline   bool
	Abstract bool
	Varargs  bool
	// Overloads is set by the annotation JvmOverloads. The compiler then adds overloads that lack
	// the last parameters with default values.
	Overloads bool
	// Delegated is set for a property that another object provides, by the keyword by.
	Delegated bool
	// Primary is set for the constructor in a class header, and for the implicit constructor of
	// a class without one.
	Primary bool
	// Field is set for an Initializer that is a field's initial value, and for a
	// Property that has one.
	Field bool
	// Local is set for functions in functions.
	Local bool
	// Extension is set for Kotlin's extensions, whose receiver is the first parameter.
	Extension bool
	Type      int32
	// Parent is the enclosing member, or None for a direct member of the type.
	Parent int32
	// Name is the name in the source, without backticks. It is empty for lambdas.
	Name string
	// PassedTo names the function to which a lambda is passed, if there is one.
	PassedTo string
	// JVM is the name given by a JvmName annotation, or "". For a property, it is the name of
	// its getter, and JVMSetter the name of its setter.
	JVM, JVMSetter string
	// Path is the name of the class that the compiler generates for a lambda, without
	// the package.
	Path string
	// Counted is set for a method reference that javac turns into a lambda.
	Counted bool
	// Crossinline is set for a function that calls a lambda from a class of its own.
	Crossinline bool
	// Params are the types of the parameters in Java's notation, without type arguments.
	// Unknown types are empty. The receiver of an extension comes first.
	Params []string
	// Defaults counts parameters that have default values.
	Defaults int
	Result   string
	// Inferred is the result type of a function, inferred from its body. It is set if the source
	// does not state the type. It has the notation of a site's receiver.
	Inferred string
	// First is the line on which a lambda's first statement begins, from 0.
	First  uint32
	At     Place
	Extent Extent
}

// SiteKind is the kind of a site.
type SiteKind uint8

// The kinds of site.
const (
	// Call is a call by name. In Kotlin it may call a constructor.
	Call SiteKind = iota
	// New is `new X(…)`. Super is a call of a constructor of the superclass or of the own class.
	New
	Super
	// Ref is a method reference. If it refers to a constructor, Name is the class.
	Ref
	// Read and Write are property accesses in Kotlin.
	Read
	Write
	// Implied is code that calls a method without naming it, such as a loop over an iterable or
	// a sum of texts. Name is the method's name.
	Implied
)

// ArgKind is the kind of an argument, if the source shows it.
type ArgKind uint8

// The kinds of argument.
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

// MaxArgs is the number of arguments of a site that have a kind. Further arguments are Unknown.
const MaxArgs = 8

// A Site is a position in the code that calls something.
type Site struct {
	At Place
	// Name and Receiver are indexes into Names. Receiver is the receiver's type,
	// "super", or empty if unknown.
	Name, Receiver uint32
	// Owner is the innermost enclosing member of the site.
	Owner int32
	// kinds has 4 bits per argument. types is the start of the types of the first MaxArgs arguments
	// in the file's args. It is 0 if all types are unknown.
	kinds, types uint32
	// Count is the number of arguments.
	Count uint8
	Kind  SiteKind
	flags siteFlags
	// Tail is the rest of the call after its name, within the name's line.
	Tail Tail
}

type siteFlags uint8

const (
	spreadArgument siteFlags = 1 << iota
	staticReceiver
	defaultValue
)

// Spread reports whether an argument is an array that represents several arguments.
func (s *Site) Spread() bool { return s.flags&spreadArgument != 0 }

// Static reports whether the receiver is a type, not a value.
func (s *Site) Static() bool { return s.flags&staticReceiver != 0 }

// Default reports whether the site is in the default value of a parameter. Kotlin puts such
// code into a separate method.
func (s *Site) Default() bool { return s.flags&defaultValue != 0 }

// A Tail is the text after a name on the same line. It has the length in bytes and in UTF-16 units.
type Tail struct{ Bytes, Width uint16 }

// Arg returns the kind of the argument with the given index.
func (s *Site) Arg(i int) ArgKind {
	if i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return Unknown
	}
	return ArgKind(s.kinds >> (4 * i) & 15)
}

// ArgType returns the type of the argument with the given index, in the notation of a receiver.
// It is empty if unknown.
func (f *File) ArgType(s *Site, i int) string {
	if s.types == 0 || i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return ""
	}
	return f.Names[f.args[int(s.types)+i]]
}
