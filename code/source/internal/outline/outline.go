// Package outline reduces a source file to its types, to the members that have code,
// and to the sites at which they call. That is all one needs to map compiled names to
// places.
//
// Compiled names are those that the compilers give. javac numbers the anonymous and
// local classes of an enclosing class in the order in which it attributes them. That
// is the order of the text, except that lambdas among a call's arguments come after
// the other arguments. It numbers the lambdas of a class in the order in which they
// end. kotlinc names anonymous objects and lambdas after the functions, properties
// and variables around them, and numbers equal names in the order of the text.
//
// An outline does not refer to the tree that it was made from. It is immutable.
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
	// Facade is the class by which other code calls the functions of the file, if it has
	// the functions of several files: a JvmMultifileClass. Empty if there is none.
	Facade string
	// Types has every type, enclosing ones first. In Kotlin the first stands for
	// the class that holds the file's functions.
	Types   []Type
	Members []Member
	Sites   []Site
	// Suppressed are the parts that the file asks not to be told of: see File.Suppresses.
	Suppressed []Extent
	// Names has the texts that sites refer to by index; the first is empty.
	Names []string
	// args has the types of the sites' arguments, as indexes of Names.
	args []uint32
}

// An Import is a name that a file imports.
type Import struct {
	// Name is the dotted name, without the star.
	Name string
	// Alias is the name that the file gives it, empty if it keeps its own.
	Alias    string
	Wildcard bool
	Static   bool
}

// An Alias is another name for a type.
type Alias struct{ Name, Type string }

// A Place is where a name stands. It lies within one line.
type Place struct {
	// Offset is in bytes, from the file's beginning.
	Offset uint32
	// Line and Column count from 0, columns in UTF-16 units.
	Line, Column uint32
	// Bytes and Width are the name's length in bytes and in UTF-16 units.
	Bytes, Width uint16
}

// An Extent is a stretch of a file, the end excluded.
type Extent struct {
	Start, End             uint32
	StartLine, StartColumn uint32
	EndLine, EndColumn     uint32
}

// HasLine reports whether a line, counted from 1 as compilers do, is in the extent.
func (e Extent) HasLine(line int) bool {
	return line > 0 && uint32(line-1) >= e.StartLine && uint32(line-1) <= e.EndLine
}

// TypeKind says what a type is.
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
	// Inner is set for a type whose instances have an outer instance, and for a type in
	// a function, which may capture variables.
	Inner bool
	Local bool
	Data  bool
	// Value is set for Kotlin's value classes, of whose objects compiled code has the value.
	Value bool
	// Outer is the enclosing type, Owner the enclosing member, or None.
	Outer, Owner int32
	// Super is the superclass as the source writes it, without type arguments; empty if
	// the source writes none. Interfaces are written in the same way.
	Super      string
	Interfaces []string
	At         Place
	Extent     Extent
	// HeaderEndLine is the line on which the body begins.
	HeaderEndLine uint32
}

// MemberKind says what a member is.
type MemberKind uint8

// The kinds of member.
const (
	Method MemberKind = iota
	Constructor
	// Initializer is an initialiser block or the initial value of a field.
	Initializer
	// Property is a Kotlin property, with or without an initial value, or a component
	// of a record, or a field without code of its own.
	Property
	Getter
	Setter
	Lambda
	// Reference is a method reference, for which the compiler may generate a class or
	// a method.
	Reference
)

// A Member is a piece of a type that may have code.
type Member struct {
	Kind MemberKind
	// Static is set for members without an instance.
	Static bool
	// Suspend, Inline and Abstract are set by the keywords of these names. Suspend is also
	// set for lambdas that can be suspended, as far as the text tells.
	Suspend  bool
	Inline   bool
	Abstract bool
	Varargs  bool
	// Overloads is set by the annotation JvmOverloads: the compiler adds overloads without
	// the last parameters that have default values.
	Overloads bool
	// Delegated is set for a property that another object provides, by the keyword by.
	Delegated bool
	// Primary is set for the constructor in a class header, and for the one that a
	// class without a constructor has.
	Primary bool
	// Field is set for an Initializer that is a field's initial value, and for a
	// Property that has one.
	Field bool
	// Local is set for functions in functions.
	Local bool
	// Extension is set for Kotlin's extensions, whose receiver is the first parameter.
	Extension bool
	Type      int32
	// Parent is the enclosing member, None if the member is the type's own.
	Parent int32
	// Name is the name in the source, without backticks; empty for lambdas.
	Name string
	// PassedTo names the function that a lambda is an argument of, if any.
	PassedTo string
	// JVM is the name that a JvmName annotation gives, empty if none does; of a property,
	// that of its getter. JVMSetter is that of a property's setter.
	JVM, JVMSetter string
	// Path is the name of the class that the compiler generates for a lambda, without
	// the package.
	Path string
	// Counted is set for a method reference that javac turns into a lambda.
	Counted bool
	// Crossinline is set for a function that calls a lambda from a class of its own.
	Crossinline bool
	// Params are the types of the parameters as Java names them, without type
	// arguments; an empty one is unknown. The receiver of an extension comes first.
	Params []string
	// Defaults counts parameters that have default values.
	Defaults int
	Result   string
	// Inferred is the type of a function's result by its body, if the source does not write
	// the type. It is written as the receiver of a site.
	Inferred string
	// First is the line on which a lambda's first statement begins, from 0.
	First  uint32
	At     Place
	Extent Extent
}

// SiteKind says what a site does.
type SiteKind uint8

// The kinds of site.
const (
	// Call is a call by name. In Kotlin it may call a constructor.
	Call SiteKind = iota
	// New is `new X(…)`, and Super a call of a superclass's or an own constructor.
	New
	Super
	// Ref is a method reference. If it refers to a constructor, Name is the class.
	Ref
	// Read and Write are property accesses in Kotlin.
	Read
	Write
	// Implied is code that calls a method without naming it, such as a loop over an
	// iterable or a sum of texts. Name is the method's name.
	Implied
)

// ArgKind says of which kind an argument is, as far as the source tells.
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

// MaxArgs is how many arguments of a site have a kind; further ones are Unknown.
const MaxArgs = 8

// A Site is a place that calls something.
type Site struct {
	At Place
	// Name and Receiver are indexes into Names. Receiver is the receiver's type,
	// "super", or empty if unknown.
	Name, Receiver uint32
	// Owner is the innermost member around the site.
	Owner int32
	// kinds has 4 bits for each argument. types is where the types of the first MaxArgs
	// arguments begin in the file's args; 0 if none of them is known.
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

// Spread reports whether an argument is an array that stands for several arguments.
func (s *Site) Spread() bool { return s.flags&spreadArgument != 0 }

// Static reports whether the receiver is a type, not a value.
func (s *Site) Static() bool { return s.flags&staticReceiver != 0 }

// Default reports whether the site is in the default value of a parameter. Kotlin puts
// such code into a method of its own.
func (s *Site) Default() bool { return s.flags&defaultValue != 0 }

// A Tail is the text after a place within the same line: its length in bytes and in
// UTF-16 units.
type Tail struct{ Bytes, Width uint16 }

// Arg returns the kind of the argument with the given index.
func (s *Site) Arg(i int) ArgKind {
	if i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return Unknown
	}
	return ArgKind(s.kinds >> (4 * i) & 15)
}

// ArgType returns the type of the argument with the given index, written as that of a
// receiver; empty if the source does not tell it.
func (f *File) ArgType(s *Site, i int) string {
	if s.types == 0 || i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return ""
	}
	return f.Names[f.args[int(s.types)+i]]
}
