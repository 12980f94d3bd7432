// Package smali prints methods of DEX files in the assembly language smali.
//
// The assembler of the smali project can read the text, except for invoke-custom, whose call site
// is written as its index. The names of local variables are left out. Parameter registers are p0,
// p1 and so on. Labels are named after the address of their instruction.
package smali

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/diffprof/diffprof/code/dex"
)

// Method returns the smali code of a method that f defines.
func Method(f *dex.File, m dex.Method) (string, error) {
	p := &printer{File: f}
	id := f.Methods[m.Index]
	fmt.Fprintf(&p.out, ".method %s%s%s\n", flags(m.Access), dex.Readable(f.Strings[id.Name]), dex.Readable(f.Signature(id.Proto)))
	if m.Code != 0 {
		if err := p.code(m.Code); err != nil {
			return "", err
		}
	}
	p.out.WriteString(".end method\n")
	return p.out.String(), nil
}

// accessFlags are the keywords for the access flags of methods, by bit.
var accessFlags = [...]string{"public", "private", "protected", "static", "final", "synchronized", "bridge", "varargs", "native", "",
	"abstract", "strictfp", "synthetic", "", "", "", "constructor", "declared-synchronized"}

func flags(access uint32) string {
	var b strings.Builder
	for i, word := range accessFlags {
		if access&(1<<i) != 0 && word != "" {
			b.WriteString(word + " ")
		}
	}
	return b.String()
}

// A printer prints one method.
type printer struct {
	*dex.File
	out  strings.Builder
	body *dex.Body
	// labelled reports which instructions are the target of a branch, a switch case or a handler.
	labelled []bool
}

func (p *printer) code(offset int) error {
	c, err := p.Code(offset)
	if err != nil {
		return err
	}
	lines, err := p.Lines(c)
	if err != nil {
		return err
	}
	if p.body, err = p.Body(c); err != nil {
		return err
	}
	b := p.body
	fmt.Fprintf(&p.out, "    .registers %d\n", b.Registers)
	p.findLabels()
	start, tries := 0, 0
	for i := range b.Code {
		in := &b.Code[i]
		position := -1
		for ; len(lines) > 0 && lines[0].Address <= in.Address; lines = lines[1:] {
			position = lines[0].Line
		}
		if position >= 0 {
			fmt.Fprintf(&p.out, "\n    .line %d\n", position)
		}
		if p.labelled[i] {
			fmt.Fprintf(&p.out, "    %s\n", p.label(i))
		}
		if in.Handler >= 0 && (i == 0 || b.Code[i-1].Handler != in.Handler) {
			start = i
			fmt.Fprintf(&p.out, "    :try_%x\n", in.Address)
		}
		fmt.Fprintf(&p.out, "    %s\n", p.instruction(in))
		if in.Handler >= 0 && (i == len(b.Code)-1 || b.Code[i+1].Handler != in.Handler) {
			p.catches(start, tries, b.Handlers[in.Handler])
			tries++
		}
	}
	for i := range b.Code {
		p.data(&b.Code[i])
	}
	return nil
}

// findLabels finds the instructions that need labels.
func (p *printer) findLabels() {
	b := p.body
	p.labelled = make([]bool, len(b.Code))
	for i := range b.Code {
		in := &b.Code[i]
		if isBranch(in.Op) {
			p.labelled[in.Target] = true
		}
		for _, t := range in.Targets {
			p.labelled[t] = true
		}
		if in.Handler < 0 {
			continue
		}
		h := &b.Handlers[in.Handler]
		for _, c := range h.Catches {
			p.labelled[c.Address] = true
		}
		if h.All >= 0 {
			p.labelled[h.All] = true
		}
	}
}

// isBranch reports whether an instruction has a branch target.
func isBranch(op dex.Op) bool {
	switch op.Format() {
	case "10t", "20t", "30t", "21t", "22t":
		return true
	}
	return false
}

func (p *printer) label(i int) string { return fmt.Sprintf(":l_%x", p.body.Code[i].Address) }

// catches prints the end of a try range, and its handlers. start is the range's first instruction,
// and n is the range's number.
func (p *printer) catches(start, n int, h dex.Handler) {
	at := p.body.Code[start].Address
	fmt.Fprintf(&p.out, "    :try_end_%x\n", n)
	for _, c := range h.Catches {
		fmt.Fprintf(&p.out, "    .catch %s {:try_%x .. :try_end_%x} %s\n", dex.Readable(p.Descriptor(c.Type)), at, n, p.label(c.Address))
	}
	if h.All >= 0 {
		fmt.Fprintf(&p.out, "    .catchall {:try_%x .. :try_end_%x} %s\n", at, n, p.label(h.All))
	}
}

// register returns the name of a register.
func (p *printer) register(r uint32) string {
	if first := p.body.Registers - p.body.Ins; int(r) >= first {
		return fmt.Sprintf("p%d", int(r)-first)
	}
	return fmt.Sprintf("v%d", r)
}

// instruction returns the smali text of an instruction.
func (p *printer) instruction(in *dex.BodyInstruction) string {
	a, b, c := p.register(in.A), p.register(in.B), p.register(in.C)
	var operands []string
	switch in.Op.Format() {
	case "12x", "22x", "32x":
		operands = []string{a, b}
	case "11x":
		operands = []string{a}
	case "11n", "21s", "21h", "31i", "51l":
		operands = []string{a, number(in.Op, in.Literal)}
	case "10t", "20t", "30t":
		operands = []string{p.label(in.Target)}
	case "21t":
		operands = []string{a, p.label(in.Target)}
	case "22t":
		operands = []string{a, b, p.label(in.Target)}
	case "21c", "31c":
		operands = []string{a, p.reference(in)}
	case "22c":
		operands = []string{a, b, p.reference(in)}
	case "23x":
		operands = []string{a, b, c}
	case "22b", "22s":
		operands = []string{a, b, number(in.Op, in.Literal)}
	case "31t":
		operands = []string{a, fmt.Sprintf(":data_%x", in.Address)}
	case "35c", "45cc":
		var list []string
		for _, r := range in.Arguments[:in.A] {
			list = append(list, p.register(uint32(r)))
		}
		operands = []string{"{" + strings.Join(list, ", ") + "}", p.reference(in)}
	case "3rc", "4rcc":
		operands = []string{p.registers(in.C, in.A), p.reference(in)}
	}
	if format := in.Op.Format(); format == "45cc" || format == "4rcc" {
		operands = append(operands, dex.Readable(p.Signature(uint16(in.Proto))))
	}
	return strings.TrimSuffix(in.Op.String()+" "+strings.Join(operands, ", "), " ")
}

// registers returns the text for a range of n registers, such as {v1 .. v3}. If the range has both
// locals and parameters, all get names of locals.
func (p *printer) registers(first, n uint32) string {
	if n == 0 {
		return "{}"
	}
	from, to := p.register(first), p.register(first+n-1)
	if from[0] != to[0] {
		to = fmt.Sprintf("v%d", first+n-1)
	}
	return "{" + from + " .. " + to + "}"
}

// number returns a literal in hexadecimal. Literals of const-wide and const-wide/high16 end with L.
func number(op dex.Op, n int64) string {
	mark := ""
	if op == 0x18 || op == 0x19 { // const-wide and const-wide/high16
		mark = "L"
	}
	return hex(n) + mark
}

func hex(n int64) string {
	if n < 0 {
		return fmt.Sprintf("-0x%x", -uint64(n))
	}
	return fmt.Sprintf("0x%x", n)
}

// handleKinds are the keywords for the kinds of method handles.
var handleKinds = [...]string{"static-put", "static-get", "instance-put", "instance-get", "invoke-static", "invoke-instance",
	"invoke-constructor", "invoke-direct", "invoke-interface"}

// reference returns the text of the item to which an instruction refers.
func (p *printer) reference(in *dex.BodyInstruction) string {
	switch i := in.Index; in.Op.Index() {
	case dex.IndexString:
		return quoted(p.Strings[i])
	case dex.IndexType:
		return dex.Readable(p.Descriptor(i))
	case dex.IndexField:
		return p.field(i)
	case dex.IndexMethod:
		return p.method(i)
	case dex.IndexProto:
		return dex.Readable(p.Signature(uint16(i)))
	case dex.IndexHandle:
		h := p.Handles[i]
		member := p.method
		if h.Kind < 4 {
			member = p.field
		}
		kind := fmt.Sprintf("kind-%d", h.Kind)
		if int(h.Kind) < len(handleKinds) {
			kind = handleKinds[h.Kind]
		}
		return kind + "@" + member(uint32(h.Member))
	default:
		return fmt.Sprintf("call_site_%d", i)
	}
}

func (p *printer) field(i uint32) string {
	id := p.Fields[i]
	return dex.Readable(p.Descriptor(uint32(id.Class))) + "->" + dex.Readable(p.Strings[id.Name]) + ":" + dex.Readable(p.Descriptor(uint32(id.Type)))
}

func (p *printer) method(i uint32) string {
	id := p.Methods[i]
	return dex.Readable(p.Descriptor(uint32(id.Class))) + "->" + dex.Readable(p.Strings[id.Name]) + dex.Readable(p.Signature(id.Proto))
}

// quoted returns a string literal in printable ASCII.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range utf16.Encode([]rune(dex.Readable(s))) {
		switch {
		case u == '"' || u == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(u))
		case u == '\n':
			b.WriteString(`\n`)
		case u == '\r':
			b.WriteString(`\r`)
		case u == '\t':
			b.WriteString(`\t`)
		case u >= ' ' && u < 0x7f:
			b.WriteByte(byte(u))
		default:
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// data prints the data of a switch or fill-array-data instruction.
func (p *printer) data(in *dex.BodyInstruction) {
	if in.Op.Format() != "31t" {
		return
	}
	fmt.Fprintf(&p.out, "\n    :data_%x\n", in.Address)
	switch in.Op {
	case dex.OpPackedSwitch:
		first := int32(0)
		if len(in.Keys) > 0 {
			first = in.Keys[0]
		}
		fmt.Fprintf(&p.out, "    .packed-switch %s\n", hex(int64(first)))
		for _, t := range in.Targets {
			fmt.Fprintf(&p.out, "        %s\n", p.label(t))
		}
		p.out.WriteString("    .end packed-switch\n")
	case dex.OpSparseSwitch:
		p.out.WriteString("    .sparse-switch\n")
		for i, t := range in.Targets {
			fmt.Fprintf(&p.out, "        %s -> %s\n", hex(int64(in.Keys[i])), p.label(t))
		}
		p.out.WriteString("    .end sparse-switch\n")
	default:
		p.array(in.Data)
	}
}

// elementMarks are the suffixes of array elements, by their width in bytes.
var elementMarks = map[int]string{1: "t", 2: "s", 8: "L"}

// array prints the data of an array.
func (p *printer) array(data []uint16) {
	width := int(data[1])
	var bytes []byte
	for _, u := range data[4:] {
		bytes = append(bytes, byte(u), byte(u>>8))
	}
	fmt.Fprintf(&p.out, "    .array-data %d\n", width)
	n := int(data[2]) | int(data[3])<<16
	for i := 0; i < n && width > 0 && width <= 8 && (i+1)*width <= len(bytes); i++ {
		bits := uint64(0)
		for j, b := range bytes[i*width:][:width] {
			bits |= uint64(b) << (8 * j)
		}
		shift := 64 - 8*width
		fmt.Fprintf(&p.out, "        %s%s\n", hex(int64(bits<<shift)>>shift), elementMarks[width])
	}
	p.out.WriteString("    .end array-data\n")
}
