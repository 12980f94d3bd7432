package dex

import "strings"

// throwTo merges the current state into the exception handlers of the current instruction.
func (v *verifier) throwTo(in *BodyInstruction) error {
	all := false
	if in.Handler >= 0 {
		h := &v.body.Handlers[in.Handler]
		for _, c := range h.Catches {
			if err := v.join(c.Address); err != nil {
				return err
			}
			all = all || v.Descriptor(c.Type) == "Ljava/lang/Throwable;"
		}
		if h.All >= 0 {
			all = true
			if err := v.join(h.All); err != nil {
				return err
			}
		}
	}
	if v.state.depth > 0 && !all && (v.strict || in.Handler >= 0) {
		return v.fail("%w", errHeld)
	}
	return nil
}

// step checks an instruction and updates the state. It returns the index of the following
// instruction, or -1 if control does not continue there.
func (v *verifier) step(i int) (next int, err error) {
	in := &v.body.Code[i]
	v.at = in
	op := &ops[in.Op]
	// A monitor-exit that passes the verifier never throws.
	if op.flow&throws != 0 && in.Op != OpMonitorExit {
		if err := v.throwTo(in); err != nil {
			return -1, err
		}
	}
	had := v.hasResult
	v.hasResult = false
	if err := v.apply(in, i, had); err != nil {
		return -1, err
	}
	if op.flow&branches != 0 {
		if err := v.join(in.Target); err != nil {
			return -1, err
		}
	}
	for _, t := range in.Targets {
		if err := v.join(t); err != nil {
			return -1, err
		}
	}
	if op.flow&ends != 0 {
		return -1, nil
	}
	return i + 1, nil
}

// arithmetic returns the kinds of the result and the operands of binary operation n. Operation 0
// has the opcode 0x90.
func arithmetic(n Op) (result, first, second kind) {
	switch {
	case n < 11:
		return integer, integer, integer
	case n < 19:
		return long, long, long
	case n < 22:
		return long, long, integer
	case n < 27:
		return float, float, float
	}
	return double, double, double
}

// conversions has the kinds of the result and the operand for the opcodes from 0x7b to 0x8f.
var conversions = [...][2]kind{{integer, integer}, {integer, integer}, {long, long}, {long, long}, {float, float}, {double, double},
	{long, integer}, {float, integer}, {double, integer}, {integer, long}, {float, long}, {double, long},
	{integer, float}, {long, float}, {double, float}, {integer, double}, {long, double}, {float, double},
	{integer, integer}, {integer, integer}, {integer, integer}}

// memberKinds has the value kinds of the seven variants of each array and field instruction.
var memberKinds = [...]struct {
	kind  kind
	types string
}{{constant, "IF"}, {wide, "JD"}, {reference, "L["}, {integer, "Z"}, {integer, "B"}, {integer, "C"}, {integer, "S"}}

// apply checks the operands of an instruction and writes the kind of its result.
func (v *verifier) apply(in *BodyInstruction, i int, hadResult bool) error {
	switch op := in.Op; {
	case op <= OpReturnObject:
		return v.applyMove(in, i, hadResult)
	case op <= OpSparseSwitch, op == 0xfe, op == 0xff:
		return v.applyObject(in, i)
	}
	return v.applyValue(in)
}

// applyMove does the same as apply, for move and return instructions.
func (v *verifier) applyMove(in *BodyInstruction, i int, hadResult bool) error {
	switch op := in.Op; {
	case op == OpNop:
		return nil
	case op <= 0x03:
		return v.move(in, constant)
	case op <= 0x06:
		return v.move(in, wide)
	case op <= 0x09:
		return v.move(in, reference)
	case op <= 0x0c: // move-result
		if !hadResult {
			return v.fail("%w", errResult)
		}
		want := [...]kind{constant, wide, reference}[op-0x0a]
		got := v.result.kind
		if got != want && (want != constant || got != integer && got != float) && (want != wide || got != long && got != double) {
			return v.fail("the result is %s, not %s", kindNames[got], kindNames[want])
		}
		return v.write(in.A, v.result)
	case op == OpMoveException:
		if !v.caught[i] {
			return v.fail("%w", errCaught)
		}
		return v.write(in.A, value{kind: reference})
	}
	return v.returns(in)
}

// applyObject does the same as apply, for constants, locks, object and array creation, jumps and
// switches.
func (v *verifier) applyObject(in *BodyInstruction, i int) error {
	switch op := in.Op; {
	case op <= 0x15: // const
		k := constant
		if in.Literal == 0 {
			k = zero
		}
		return v.write(in.A, value{kind: k})
	case op <= 0x19:
		return v.write(in.A, value{kind: wide})
	case op <= 0x1c, op == 0xfe, op == 0xff: // const-string, const-class and others
		return v.write(in.A, value{kind: reference})
	case op == OpMonitorEnter:
		return v.lock(in)
	case op == OpMonitorExit:
		return v.release(in)
	case op == 0x1f: // check-cast
		x, err := v.read(in.A, reference)
		if err != nil {
			return err
		}
		return v.write(in.A, value{kind: reference, typ: 1 + in.Index, locks: x.locks})
	case op <= 0x21: // instance-of and array-length
		return v.unary(in, integer, reference)
	case op == 0x22: // new-instance
		return v.newInstance(in, i)
	case op == 0x23: // new-array
		if _, err := v.read(in.B, integer); err != nil {
			return err
		}
		return v.write(in.A, value{kind: reference, typ: 1 + in.Index})
	case op <= 0x25: // filled-new-array
		return v.filledArray(in)
	case op <= OpThrow: // fill-array-data and throw
		_, err := v.read(in.A, reference)
		return err
	case op <= OpGoto32:
		return nil
	}
	_, err := v.read(in.A, integer) // switches
	return err
}

// applyValue does the same as apply, for comparisons, arithmetic, array elements, fields and calls.
func (v *verifier) applyValue(in *BodyInstruction) error {
	switch op := in.Op; {
	case op <= 0x31: // comparisons
		k := [...]kind{float, float, double, double, long}[op-0x2d]
		return v.binary(in, integer, k, k)
	case op <= 0x37: // if-eq
		return v.compare(in)
	case op <= opIfLez:
		if op <= 0x39 && v.check(in.A, 1) == nil && v.state.registers[in.A].kind == reference {
			return nil
		}
		_, err := v.read(in.A, integer)
		return err
	case op <= 0x51: // aget and aput
		return v.array(in)
	case op <= 0x6d: // fields
		return v.field(in)
	case op.Index() == IndexMethod, op.Index() == IndexCallSite:
		return v.call(in)
	case op <= 0x8f:
		c := conversions[op-0x7b]
		return v.unary(in, c[0], c[1])
	case op <= 0xaf:
		result, a, b := arithmetic(op - 0x90)
		return v.binary(in, result, a, b)
	case op <= 0xcf:
		result, a, b := arithmetic(op - 0xb0)
		if _, err := v.read(in.A, a); err != nil {
			return err
		}
		if _, err := v.read(in.B, b); err != nil {
			return err
		}
		return v.write(in.A, value{kind: result})
	}
	return v.unary(in, integer, integer) // operations with a literal
}

// move checks a move of a register. If the register has an object whose constructor has not run,
// this is then also true of the copy.
func (v *verifier) move(in *BodyInstruction, want kind) error {
	if err := v.check(in.B, value{kind: want}.words()); err != nil {
		return err
	}
	x := v.state.registers[in.B]
	if want == reference && (x.kind == fresh || x.kind == freshThis) {
		return v.write(in.A, x)
	}
	x, err := v.read(in.B, want)
	if err != nil {
		return err
	}
	return v.write(in.A, x)
}

// lock checks a monitor-enter instruction.
func (v *verifier) lock(in *BodyInstruction) error {
	if _, err := v.read(in.A, reference); err != nil {
		return err
	}
	if v.state.depth == maxLocks {
		return v.fail("%w", errLocks)
	}
	v.state.registers[in.A].locks |= 1 << v.state.depth
	v.state.depth++
	return nil
}

// release checks a monitor-exit instruction, which must release the lock that was taken last.
func (v *verifier) release(in *BodyInstruction) error {
	x, err := v.read(in.A, reference)
	if err != nil {
		return err
	}
	if v.state.depth == 0 || x.locks&(1<<(v.state.depth-1)) == 0 {
		return v.fail("%w", errRelease)
	}
	v.state.depth--
	for r := range v.state.registers {
		v.state.registers[r].locks &^= 1 << v.state.depth
	}
	return nil
}

func (v *verifier) unary(in *BodyInstruction, result, operand kind) error {
	if _, err := v.read(in.B, operand); err != nil {
		return err
	}
	return v.write(in.A, value{kind: result})
}

func (v *verifier) binary(in *BodyInstruction, result, a, b kind) error {
	if _, err := v.read(in.B, a); err != nil {
		return err
	}
	if _, err := v.read(in.C, b); err != nil {
		return err
	}
	return v.write(in.A, value{kind: result})
}

// compare checks a branch that compares two registers.
func (v *verifier) compare(in *BodyInstruction) error {
	for _, r := range []uint32{in.A, in.B} {
		if err := v.check(r, 1); err != nil {
			return err
		}
	}
	a, b := v.state.registers[in.A].kind, v.state.registers[in.B].kind
	if in.Op <= 0x33 && (a == reference || b == reference) { // if-eq and if-ne
		if _, err := v.read(in.A, reference); err != nil {
			return err
		}
		_, err := v.read(in.B, reference)
		return err
	}
	if _, err := v.read(in.A, integer); err != nil {
		return err
	}
	_, err := v.read(in.B, integer)
	return err
}

// newInstance checks a new-instance instruction. In a loop, it may run again before a constructor
// call for the earlier object. The earlier object is then unusable.
func (v *verifier) newInstance(in *BodyInstruction, i int) error {
	for r, x := range v.state.registers {
		if x.kind == fresh && x.typ == uint32(i) {
			v.state.registers[r] = value{}
		}
	}
	return v.write(in.A, value{kind: fresh, typ: uint32(i)})
}

// returns checks a return instruction.
func (v *verifier) returns(in *BodyInstruction) error {
	if v.state.depth > 0 {
		return v.fail("%w", errReturn)
	}
	if v.isInit {
		for _, x := range v.state.registers {
			if x.kind == freshThis {
				return v.fail("%w", errThis)
			}
		}
	}
	want := v.valueOf(v.signature.Return)
	form := [...]bool{want.kind == conflict, want.kind == integer || want.kind == float, want.words() == 2, want.kind == reference}
	if !form[in.Op-OpReturnVoid] {
		return v.fail("the method returns %s", v.Descriptor(v.signature.Return))
	}
	if in.Op == OpReturnVoid {
		return nil
	}
	_, err := v.read(in.A, want.kind)
	return err
}

// array checks a read or write of an array element.
func (v *verifier) array(in *BodyInstruction) error {
	form, write := int(in.Op-0x44), false
	if form >= 7 {
		form, write = form-7, true
	}
	m := memberKinds[form]
	a, err := v.read(in.B, reference)
	if err != nil {
		return err
	}
	if _, err := v.read(in.C, integer); err != nil {
		return err
	}
	element := value{kind: m.kind}
	if a.kind == reference && a.typ > 0 {
		descriptor := v.Descriptor(a.typ - 1)
		types := m.types
		if form == 4 { // Boolean arrays use the instructions for bytes.
			types = "BZ"
		}
		if len(descriptor) < 2 || descriptor[0] != '[' || !strings.ContainsRune(types, rune(descriptor[1])) {
			return v.fail("v%d holds a %s", in.B, descriptor)
		}
		switch descriptor[1] {
		case 'I':
			element.kind = integer
		case 'F':
			element.kind = float
		case 'J':
			element.kind = long
		case 'D':
			element.kind = double
		case 'L', '[':
			element.typ = v.typeNamed(descriptor[1:])
		}
	}
	if write {
		_, err := v.read(in.A, element.kind)
		return err
	}
	return v.write(in.A, element)
}

// typeNamed returns 1 plus the index of a type, or 0 if the file does not refer to the type.
func (v *verifier) typeNamed(descriptor string) uint32 {
	if v.types == nil {
		v.types = make(map[string]uint32)
	}
	if t, ok := v.types[descriptor]; ok {
		return t
	}
	// Types are sorted by their descriptors.
	low, high := 0, len(v.Types)
	for low < high {
		middle := (low + high) / 2
		if compareText(v.Descriptor(uint32(middle)), descriptor) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	t := uint32(0)
	if low < len(v.Types) && v.Descriptor(uint32(low)) == descriptor {
		t = uint32(low) + 1
	}
	v.types[descriptor] = t
	return t
}

// field checks a read or write of a field.
func (v *verifier) field(in *BodyInstruction) error {
	n := int(in.Op - 0x52)
	static := n >= 14
	form, write := n%14, false
	if form >= 7 {
		form, write = form-7, true
	}
	typ := uint32(v.Fields[in.Index].Type)
	if m := memberKinds[form]; !strings.ContainsRune(m.types, rune(v.form(typ))) {
		return v.fail("the field is a %s", v.Descriptor(typ))
	}
	if !static {
		if err := v.check(in.B, 1); err != nil {
			return err
		}
		// Before a constructor calls another constructor, it may set fields of its own class.
		if x := v.state.registers[in.B]; !write || x.kind != freshThis {
			if _, err := v.read(in.B, reference); err != nil {
				return err
			}
		}
	}
	x := v.valueOf(typ)
	if write {
		_, err := v.read(in.A, x.kind)
		return err
	}
	return v.write(in.A, x)
}
