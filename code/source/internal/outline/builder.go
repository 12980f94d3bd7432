package outline

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// Parse returns the outline of a file. name is the base name of the file; in Kotlin, it determines
// the class of the file's top-level functions. It fails only if the parser does.
func Parse(ctx context.Context, p *syntaxtree.Parser, lang syntaxtree.Language, name string, source []byte) (*File, error) {
	tree, err := p.Parse(ctx, lang, source)
	if err != nil {
		return nil, err
	}
	return FromTree(tree, lang, name), nil
}

// FromTree returns the outline of a parsed file.
func FromTree(tree *syntaxtree.Tree, lang syntaxtree.Language, name string) *File {
	b := &builder{
		file:  &File{Kotlin: lang == syntaxtree.Kotlin, Broken: tree.HasError, Names: []string{""}, args: []uint32{0}},
		lines: newLines(tree.Source), names: map[string]uint32{"": 0}, numbers: map[string]int{},
	}
	b.file.Lines = uint32(len(b.lines.starts))
	if lang == syntaxtree.Kotlin {
		(&kotlin{builder: b}).file(tree.Root(), name)
	} else {
		(&java{builder: b}).file(tree.Root())
	}
	b.file.Suppressed = b.suppressed()
	return b.compact()
}

// A builder builds an outline. The types java and kotlin embed it.
type builder struct {
	file  *File
	lines *lines
	names map[string]uint32
	// numbers has the last number used for each prefix of numbered names. See nextNumber.
	numbers map[string]int
	// scope has the variables and type parameters in scope. The innermost is last.
	scope []binding
	// typ and member are the type and the member being read.
	typ, member int32
	// inDefault is set while the default value of a parameter is read.
	inDefault bool
}

// A binding is a variable and its type. If isType is set, it is a type parameter and its bound.
type binding struct {
	name, typ string
	isType    bool
}

// intern returns a copy of a text that is shared by all equal texts of the file.
func (b *builder) intern(s string) string { return b.file.Names[b.name(s)] }

// name returns the index of a text in the file's Names.
func (b *builder) name(s string) uint32 {
	if i, ok := b.names[s]; ok {
		return i
	}
	i := uint32(len(b.file.Names))
	s = strings.Clone(s)
	b.file.Names = append(b.file.Names, s)
	b.names[s] = i
	return i
}

func (b *builder) bind(name, typ string) {
	b.scope = append(b.scope, binding{name: name, typ: typ})
}

func (b *builder) bindType(name, bound string) {
	b.scope = append(b.scope, binding{name, bound, true})
}

// scopeLookback bounds the search for a variable, so that files with very many variables are read
// in linear time.
const scopeLookback = 2000

func (b *builder) lookup(name string, isType bool) (string, bool) {
	for i := len(b.scope) - 1; i >= 0 && i >= len(b.scope)-scopeLookback; i-- {
		if at := &b.scope[i]; at.isType == isType && at.name == name {
			return at.typ, true
		}
	}
	return "", false
}

// erase replaces a type parameter by its bound.
func (b *builder) erase(typ string) string {
	// A parameter may be bounded by another parameter. Long chains do not occur.
	for range 4 {
		bound, ok := b.lookup(typ, true)
		if !ok {
			break
		}
		typ = bound
	}
	return typ
}

// nextNumber returns "1" for the first use of a key, then "2" and so on.
func (b *builder) nextNumber(key string) string {
	b.numbers[key]++
	return strconv.Itoa(b.numbers[key])
}

// addType adds a type and returns its index. The caller sets b.typ.
func (b *builder) addType(t Type, name, whole syntaxtree.Node) int32 {
	t.Name = b.intern(bounded(t.Name))
	t.At = b.place(name)
	t.Extent = b.lines.extent(whole.Start(), whole.End())
	t.HeaderEndLine = t.Extent.EndLine
	b.file.Types = append(b.file.Types, t)
	return int32(len(b.file.Types) - 1)
}

// maxName is the maximum length in bytes of a binary name, such as Outer$Inner. File systems cannot
// store class files with longer names.
const maxName = 4 << 10

func bounded(name string) string { return name[:min(len(name), maxName)] }

// addMember adds a member inside the current type and member.
func (b *builder) addMember(m Member, name, whole syntaxtree.Node) int32 {
	m.Type, m.Parent = b.typ, b.member
	m.Name, m.JVM, m.Path = b.intern(m.Name), b.intern(m.JVM), b.intern(m.Path)
	m.JVMSetter = b.intern(m.JVMSetter)
	m.Result, m.Inferred, m.PassedTo = b.intern(m.Result), b.intern(m.Inferred), b.intern(m.PassedTo)
	m.At = b.place(name)
	m.Extent = b.lines.extent(whole.Start(), whole.End())
	m.First = max(m.First, m.Extent.StartLine)
	b.file.Members = append(b.file.Members, m)
	return int32(len(b.file.Members) - 1)
}

// firstLine returns the line on which the code of a body begins.
func (b *builder) firstLine(body syntaxtree.Node, block bool) uint32 {
	if first := body.First(); block && first.Exists() {
		body = first
	}
	line, _ := b.lines.position(body.Start())
	return line
}

// place returns the position of a name. It cuts the name at the end of its first line.
func (b *builder) place(n syntaxtree.Node) Place {
	text := n.Text()
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return b.lines.place(n.Start(), n.Start()+uint32(i))
	}
	return b.lines.place(n.Start(), n.End())
}

// A call collects the properties of a call site, from which addSite makes a Site.
type call struct {
	kind SiteKind
	// at is the name. whole is the call expression, if there is one.
	at, whole syntaxtree.Node
	name      string
	receiver  receiver
	args      []argument
	spread    bool
}

// An argument describes an argument of a call. typ may be "" if kind implies the type.
type argument struct {
	kind ArgKind
	typ  string
}

// argumentOf returns the argument for an expression of the type r.
func argumentOf(r receiver) argument {
	if r.static || r.typ == "super" {
		return argument{}
	}
	return argument{kindOf(r.typ), r.typ}
}

// A receiver is the static type of the object on which a method is called.
type receiver struct {
	typ string
	// static is set if the receiver is the type itself, not an object.
	static bool
}

// maxPath is the maximum length in bytes of a member path, such as Foo#bar(). See receiver.member.
const maxPath = 160

// member returns the type of a member of r, written as a path. For example, Foo#bar() is the result
// type of Foo's method bar, and #bar is the type of a member bar of an enclosing class.
func (r receiver) member(name string) receiver {
	if name == "" || r.typ == "super" || len(r.typ)+len(name) > maxPath {
		return receiver{}
	}
	return receiver{typ: r.typ + "#" + name}
}

// usual returns the type that a member has in nearly all library classes.
func usual(name string) receiver { return receiver{typ: UsualTypes[name]} }

func (b *builder) addSite(c call) {
	if c.name == "" || b.member == None || c.at.Start() == c.at.End() {
		return
	}
	s := Site{
		At: b.place(c.at), Name: b.name(c.name), Receiver: b.name(c.receiver.typ),
		Owner: b.member, Kind: c.kind, Count: uint8(min(len(c.args), 255)),
	}
	if c.spread {
		s.flags |= spreadArgument
	}
	if c.receiver.static {
		s.flags |= staticReceiver
	}
	if b.inDefault {
		s.flags |= defaultValue
	}
	s.Tail = b.lines.tail(s.At, c.whole.End())
	args := c.args[:min(len(c.args), MaxArgs)]
	typed := false
	for i, a := range args {
		s.kinds |= uint32(a.kind) << (4 * i)
		typed = typed || a.typ != ""
	}
	if typed {
		s.types = uint32(len(b.file.args))
		for _, a := range args {
			b.file.args = append(b.file.args, b.name(a.typ))
		}
	}
	b.file.Sites = append(b.file.Sites, s)
}

// primitive returns the type of a number, a character or a boolean. It returns "" for other
// arguments.
func (a argument) primitive() string {
	switch a.kind {
	case Int:
		return "int"
	case Long:
		return "long"
	case Float:
		return a.typ
	case Char:
		return "char"
	case Bool:
		return "boolean"
	}
	return ""
}

// maxOperands is the maximum number of operands of a sum whose types are examined.
const maxOperands = 64

// promoted returns the type of a sum or product of numbers, or of a string concatenation.
func promoted(n syntaxtree.Node, operand func(syntaxtree.Node) argument) argument {
	kind := n.Kind()
	total := operand(n.Last())
	for range maxOperands {
		n = n.First()
		last := n.Kind() != kind
		next := n
		if !last {
			next = n.Last()
		}
		if total = wider(total, operand(next)); last || total.kind == String {
			return total
		}
	}
	return argument{}
}

// wider returns the type of a + b. The type of a sum of numbers is unknown unless both types are
// known.
func wider(a, b argument) argument {
	if a.kind == String || b.kind == String {
		return argument{kind: String}
	}
	rank := func(a argument) int {
		switch {
		case a.kind == Int || a.kind == Char:
			return 1
		case a.kind == Long:
			return 2
		case a.kind == Float && a.typ == "float":
			return 3
		case a.kind == Float && a.typ == "double":
			return 4
		}
		return 0
	}
	switch x, y := rank(a), rank(b); {
	case x == 0 || y == 0:
		return argument{}
	case max(x, y) == 1:
		return argument{kind: Int}
	case x > y:
		return a
	}
	return b
}

// kindOf returns the kind of an argument of the given type.
func kindOf(typ string) ArgKind {
	switch {
	case typ == "":
		return Unknown
	case strings.Contains(typ, "#"):
		return Unknown
	case strings.HasSuffix(typ, "[]"):
		return Array
	}
	switch typ {
	case "int", "short", "byte":
		return Int
	case "long":
		return Long
	case "float", "double":
		return Float
	case "char":
		return Char
	case "boolean":
		return Bool
	case "String", "java.lang.String":
		return String
	case "Object", "Integer", "Long", "Short", "Byte", "Float", "Double", "Character", "Boolean", "super":
		return Unknown
	}
	return Instance
}

// compact clips the slices of the file to their lengths, sorts its sites, and returns the file.
func (b *builder) compact() *File {
	f := b.file
	f.Types, f.Members = slices.Clip(slices.Clone(f.Types)), slices.Clip(slices.Clone(f.Members))
	// Sites are in the order of the text.
	slices.SortStableFunc(f.Sites, func(x, y Site) int { return int(x.At.Offset) - int(y.At.Offset) })
	f.Sections = slices.Clip(f.Sections)
	f.Sites, f.Names = slices.Clip(slices.Clone(f.Sites)), slices.Clip(slices.Clone(f.Names))
	f.args = slices.Clip(slices.Clone(f.args))
	return f
}
