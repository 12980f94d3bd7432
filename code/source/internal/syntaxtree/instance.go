package syntaxtree

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// An instance runs the module's code in its own memory, so a crash affects only this instance. It
// is not safe for concurrent use.
type instance struct {
	module *module
	code   api.Module
	// functions caches the module's functions, because looking up a function allocates.
	functions map[string]api.Function
	// trees is the number of trees in the instance's memory.
	trees int
	// broken is set if the code crashed, or if the instance was freed. The instance is then
	// unusable.
	broken bool
	// stack has the arguments of a call, and then its result.
	stack [10]uint64
}

// errBroken is returned for a file on which the parser crashes.
var errBroken = errors.New("the parser crashed on this file")

// call calls a function of the module. An error leaves the instance broken.
func (i *instance) call(ctx context.Context, function string, arguments ...uint64) (uint32, error) {
	copy(i.stack[:], arguments)
	if err := i.function(function).CallWithStack(ctx, i.stack[:]); err != nil {
		// The error has the module's call stack, which does not help users.
		if i.exhausted() {
			i.broken = true
			return 0, fmt.Errorf("parsing takes more than %d MiB of memory", i.module.memory>>20)
		}
		return 0, i.fault()
	}
	return uint32(i.stack[0]), nil
}

func (i *instance) function(name string) api.Function {
	f := i.functions[name]
	if f == nil {
		f = i.code.ExportedFunction(name)
		i.functions[name] = f
	}
	return f
}

// fault marks the instance as broken and returns errBroken.
func (i *instance) fault() error {
	i.broken = true
	return errBroken
}

// exhausted reports whether the instance crashed because it ran out of memory.
func (i *instance) exhausted() bool {
	err := i.function("exhausted").CallWithStack(context.Background(), i.stack[:])
	return err == nil && i.stack[0] != 0
}

// large reports whether the instance uses so much memory that the next file needs another instance.
func (i *instance) large() bool { return i.code.Memory().Size() > keepMemory }

// free frees the instance's memory.
func (i *instance) free() {
	i.broken = true
	// Close fails only for modules with open files, and this module opens none.
	_ = i.code.Close(context.Background())
}

// parse parses a text and appends the nodes of its tree to `to`. To save time, earlier may be the
// tree of an earlier version of the text; otherwise it is 0. The caller must forget the returned
// tree, which is 0 if ctx ended before the text was parsed.
func (i *instance) parse(ctx context.Context, to []node, lang Language, text []byte, earlier uint32) (nodes []node, hasError bool, tree uint32, err error) {
	memory := i.code.Memory()
	space, err := i.call(ctx, "space", uint64(len(text)))
	if err != nil {
		return to, false, 0, err
	}
	if !memory.Write(space, text) {
		return to, false, 0, i.fault()
	}
	at, err := i.call(ctx, "parse", uint64(lang), uint64(len(text)), uint64(earlier))
	if err != nil || at == 0 {
		return to, false, 0, err
	}
	// parsers.c defines the layout of the result and of its nodes.
	result, ok := memory.Read(at, 16)
	if !ok {
		return to, false, 0, i.fault()
	}
	word := func(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	flat, ok := memory.Read(word(result, 0), word(result, 1)*nodeSize)
	if !ok {
		return to, false, 0, i.fault()
	}
	for ; len(flat) >= nodeSize; flat = flat[nodeSize:] {
		last := word(flat, 3)
		to = append(to, node{start: word(flat, 0), end: word(flat, 1), next: word(flat, 2), kind: uint16(last), field: uint8(last >> 16), named: uint8(last >> 24)})
	}
	i.trees++
	return to, word(result, 2) != 0, word(result, 3), nil
}

// edit tells a tree that its text was edited.
func (i *instance) edit(tree uint32, r replacement) error {
	_, err := i.call(context.Background(), "edit", uint64(tree),
		uint64(r.start.offset), uint64(r.start.row), uint64(r.start.column),
		uint64(r.oldEnd.offset), uint64(r.oldEnd.row), uint64(r.oldEnd.column),
		uint64(r.newEnd.offset), uint64(r.newEnd.row), uint64(r.newEnd.column))
	return err
}

// forget frees a tree.
func (i *instance) forget(tree uint32) {
	if i.broken {
		return
	}
	i.trees--
	// An error leaves the instance broken, and the parser then takes another instance.
	_, _ = i.call(context.Background(), "forget", uint64(tree))
}

// grammar reads the names of a language's grammar.
func (i *instance) grammar(lang uint64) (*grammar, error) {
	kinds, err := i.names("kind", lang, 0)
	if err != nil {
		return nil, err
	}
	// Fields are numbered from 1, and 0 means no field.
	fields, err := i.names("field", lang, 1)
	if err != nil {
		return nil, err
	}
	return &grammar{kinds: kinds, fields: append([]string{""}, fields...)}, nil
}

// names reads the names of a grammar's kinds or fields. Their numbers begin at first.
func (i *instance) names(what string, lang uint64, first uint32) ([]string, error) {
	count, err := i.call(context.Background(), what+"_count", lang)
	if err != nil {
		return nil, err
	}
	// Equal names share their memory, so comparing kinds usually compares only pointers.
	known := map[string]string{}
	names := make([]string, 0, count)
	for n := range count {
		at, err := i.call(context.Background(), what+"_name", lang, uint64(n+first))
		if err != nil {
			return nil, err
		}
		name := i.text(at)
		if known[name] == "" {
			known[name] = name
		}
		names = append(names, known[name])
	}
	return names, nil
}

// text reads a zero-terminated string.
func (i *instance) text(at uint32) string {
	memory := i.code.Memory()
	rest, _ := memory.Read(at, memory.Size()-min(at, memory.Size()))
	text, _, _ := bytes.Cut(rest, []byte{0})
	return string(text)
}
