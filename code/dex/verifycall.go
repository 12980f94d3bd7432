package dex

// arguments returns the registers of a call, or an error if they are out of range.
func (v *verifier) arguments(in *BodyInstruction) (registers []uint32, err error) {
	if f := ops[in.Op].format; f == format35c || f == format45cc {
		for i := range in.A {
			registers = append(registers, uint32(in.Arguments[i]))
		}
	} else {
		for i := range in.A {
			registers = append(registers, in.C+i)
		}
	}
	if int(in.A) > v.body.Outs && in.Op.Index() != IndexType {
		return nil, v.fail("a call passes %d registers, but the method reserves only %d for calls", in.A, v.body.Outs)
	}
	return registers, nil
}

// call checks a call instruction.
func (v *verifier) call(in *BodyInstruction) error {
	registers, err := v.arguments(in)
	if err != nil {
		return err
	}
	if in.Op >= OpInvokeCustom { // The signature is in the encoded array of the call site.
		v.result, v.hasResult = value{kind: reference}, true
		proto, err := v.siteProto(in.Index)
		if err != nil {
			return err
		}
		return v.pass(registers, proto)
	}
	id := v.Methods[in.Index]
	proto := uint32(id.Proto)
	if in.Op >= OpInvokePolymorphic {
		proto = in.Proto
	}
	if in.Op != OpInvokeStatic && in.Op != OpInvokeStatic+6 {
		if len(registers) == 0 {
			return v.fail("a call without an object")
		}
		if err := v.receiver(in, registers[0], v.Strings[id.Name] == "<init>"); err != nil {
			return err
		}
		registers = registers[1:]
	}
	return v.pass(registers, proto)
}

// siteProto returns the signature of a call site.
func (v *verifier) siteProto(site uint32) (uint32, error) {
	c := &cursor{f: v.File, pos: int(v.CallSites[site])}
	if n := c.uleb(); c.err == nil && n < 3 {
		return 0, v.fail("a call site has %d values", n)
	}
	c.value(maxNesting)
	c.value(maxNesting)
	_, proto := c.value(maxNesting)
	if c.err != nil {
		return 0, c.err
	}
	return uint32(proto), v.File.check(int(v.CallSites[site]), uint32(proto), len(v.Protos), "signature")
}

// receiver checks the receiver of a call. If constructs is set, the call initializes it.
func (v *verifier) receiver(in *BodyInstruction, r uint32, constructs bool) error {
	if !constructs {
		_, err := v.read(r, reference)
		return err
	}
	if err := v.check(r, 1); err != nil {
		return err
	}
	x := v.state.registers[r]
	if x.kind != fresh && x.kind != freshThis {
		return v.fail("v%d holds %s, not a new object", r, kindNames[x.kind])
	}
	typ := uint32(0)
	if x.kind == fresh {
		typ = 1 + v.body.Code[x.typ].Index
	} else {
		typ = 1 + uint32(v.Methods[v.method.Index].Class)
	}
	for i, other := range v.state.registers {
		if other.kind == x.kind && other.typ == x.typ {
			v.state.registers[i] = value{kind: reference, typ: typ, locks: other.locks}
		}
	}
	return nil
}

// pass checks a call's arguments against a signature, and sets the result.
func (v *verifier) pass(registers []uint32, proto uint32) error {
	if err := v.File.check(0, proto, len(v.Protos), "signature"); err != nil {
		return err
	}
	p := v.Protos[proto]
	parameters, err := v.TypeList(p.Parameters)
	if err != nil {
		return err
	}
	for _, t := range parameters {
		x := v.valueOf(uint32(t))
		if len(registers) < x.words() {
			return v.fail("too few arguments")
		}
		if _, err := v.read(registers[0], x.kind); err != nil {
			return err
		}
		if x.words() == 2 && registers[1] != registers[0]+1 {
			return v.fail("the halves of an argument are v%d and v%d", registers[0], registers[1])
		}
		registers = registers[x.words():]
	}
	if len(registers) > 0 {
		return v.fail("too many arguments")
	}
	v.result = v.valueOf(p.Return)
	v.hasResult = v.result.kind != conflict
	return nil
}

// filledArray checks a filled-new-array instruction.
func (v *verifier) filledArray(in *BodyInstruction) error {
	registers, err := v.arguments(in)
	if err != nil {
		return err
	}
	descriptor := v.Descriptor(in.Index)
	if len(descriptor) < 2 || descriptor[0] != '[' || descriptor[1] == 'J' || descriptor[1] == 'D' {
		return v.fail("the type is %s", descriptor)
	}
	want := integer
	switch descriptor[1] {
	case 'F':
		want = float
	case 'L', '[':
		want = reference
	}
	for _, r := range registers {
		if _, err := v.read(r, want); err != nil {
			return err
		}
	}
	v.result, v.hasResult = value{kind: reference, typ: 1 + in.Index}, true
	return nil
}
