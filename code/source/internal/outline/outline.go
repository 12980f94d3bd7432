// Package outline reduces a source file to what maps compiled names to places:
// its types, the members with code in them, and the sites where they call.
//
// Compiled names follow the compilers. javac numbers anonymous and local classes
// per enclosing class in the order in which it attributes them, which is that of
// the text except that lambdas among a call's arguments come after the other
// arguments; it numbers lambdas per class in the order in which they end. kotlinc
// builds the names of anonymous objects and of lambdas from those of the
// functions, properties and variables around them, and numbers those in order of
// appearance.
//
// An outline holds no part of the tree it was made from, and is immutable.
package outline

// None stands for no type or no member where an index is wanted.
const None = -1

// A File is the outline of one source file.
type File struct {
	Package string
	Kotlin  bool
	// Lines counts the lines.
	Lines   uint32
	Imports []Import
	// Types has every type, enclosing ones first. In Kotlin the first stands for
	// the class that holds the file's functions.
	Types   []Type
	Members []Member
	Sites   []Site
	// Names has the texts that sites refer to by index; the first is empty.
	Names []string
}

// An Import is a name that a file imports.
type Import struct {
	// Name is the dotted name, without the star.
	Name string
	// Alias is the name it goes by in the file, empty if its own.
	Alias    string
	Wildcard bool
	Static   bool
}

// A Place is the place of a name: it lies in one line.
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

// HasLine tells whether a line, counted from 1 as compilers do, is in the extent.
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
	// Inner is set for a type whose instances have an outer instance, and for one
	// in a function, which may capture variables.
	Inner bool
	Local bool
	Data  bool
	// Outer is the enclosing type, Owner the enclosing member, or None.
	Outer, Owner int32
	// Super is the superclass as written, without type arguments; empty if none is
	// written. Interfaces likewise.
	Super      string
	Interfaces []string
	At         Place
	Extent     Extent
	// Header ends where the body begins.
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
	// Property is a Kotlin property, with an initial value or without, or a
	// component of a record or a field without code of its own.
	Property
	Getter
	Setter
	Lambda
	// Reference is a method reference: the compiler may make a class or a
	// method of it.
	Reference
)

// A Member is a piece of a type that may have code.
type Member struct {
	Kind MemberKind
	// Static is set for members without an instance.
	Static bool
	// Suspend, Inline and Abstract are what they say.
	Suspend  bool
	Inline   bool
	Abstract bool
	Varargs  bool
	// Delegated is set for a property whose value comes `by` another object.
	Delegated bool
	// Primary is set for the constructor in a class header, and for its default.
	Primary bool
	// Field is set for an Initializer that is a field's value, and for a Property
	// that has an initial value.
	Field bool
	// Local is set for functions in functions.
	Local bool
	Type  int32
	// Parent is the enclosing member, None if the member is the type's own.
	Parent int32
	// Name is the name in the source, without backticks; empty for lambdas.
	Name string
	// PassedTo names the function that a lambda is an argument of, if any.
	PassedTo string
	// JVM is the name that an annotation gives, empty if none does.
	JVM string
	// Path is what the compiler names the class of a lambda, without the package.
	Path string
	// Number is the position of a lambda among those of its class, negative if it
	// has none.
	Number int32
	// Params are the types of the parameters, as Java names them, without
	// arguments; an empty one is unknown. An extension's receiver is the first.
	Params []string
	// Defaults counts parameters that have default values.
	Defaults int
	Result   string
	// First is the line on which a lambda's first statement begins, from 0.
	First  uint32
	At     Place
	Extent Extent
}

// SiteKind says what a site does.
type SiteKind uint8

// The kinds of site.
const (
	// Call is a call by name; in Kotlin it may also be a constructor's.
	Call SiteKind = iota
	// New is `new X(…)`, and Super a call of a superclass's or an own constructor.
	New
	Super
	// Ref is a method reference; of a constructor, Name is the class.
	Ref
	// Read and Write are property accesses in Kotlin.
	Read
	Write
	// Implied is code that calls a method without naming it: a loop over an
	// iterable, a sum of texts. Name is the method's.
	Implied
)

// ArgKind says what an argument is, as far as the text tells.
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

// MaxArgs is how many arguments of a site have their kind kept.
const MaxArgs = 8

// A Site is a place that calls something.
type Site struct {
	At Place
	// Name and Receiver are indexes into Names. Receiver is the receiver's type,
	// "super", or empty if unknown.
	Name, Receiver uint32
	// Owner is the innermost member around the site.
	Owner int32
	args  uint32
	// Count is the number of arguments.
	Count uint8
	Kind  SiteKind
	// Spread is set where an argument is an array that stands for several.
	Spread bool
	// Static is set where the receiver is a type, not a value.
	Static bool
	// Tail is what of the call is behind its name in the same line.
	Tail Tail
}

// A Tail is what is behind a place in the same line: its length in bytes and in
// UTF-16 units.
type Tail struct{ Bytes, Width uint16 }

// Arg returns the kind of the argument with the given index.
func (s *Site) Arg(i int) ArgKind {
	if i < 0 || i >= MaxArgs || i >= int(s.Count) {
		return Unknown
	}
	return ArgKind(s.args >> (4 * i) & 15)
}
