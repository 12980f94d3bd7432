package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A renaming maps an app's own names to obfuscated names.
type renaming struct {
	classes map[string]string
	methods map[string]string // by label
	order   []name.Method
}

// shrink gives the app's classes and methods short names, in order of appearance.
func shrink(pkg string, events []event) *renaming {
	r := &renaming{classes: make(map[string]string), methods: make(map[string]string)}
	counts := make(map[string]int)
	for _, e := range events {
		m := e.m.n.method
		if !strings.HasPrefix(m.Class(), pkg+".") || r.methods[m.Label()] != "" {
			continue
		}
		if r.classes[m.Class()] == "" {
			r.classes[m.Class()] = "a.a." + letters(len(r.classes))
		}
		r.methods[m.Label()] = letters(counts[m.Class()])
		if overrides[m.Name] {
			// A method that overrides a method of Android keeps its name.
			r.methods[m.Label()] = m.Name
		} else {
			counts[m.Class()]++
		}
		r.order = append(r.order, m)
	}
	return r
}

var overrides = map[string]bool{
	"onClick": true, "onItemClick": true, "onReceive": true, "run": true, "onDraw": true, "doFrame": true,
	"onCreate": true, "onStartCommand": true, "handleMessage": true, "onPostExecute": true,
	"doInBackground": true, "onTransact": true, "<init>": true,
}

func letters(i int) string {
	s := string(rune('a' + i%26))
	if i >= 26 {
		s = letters(i/26-1) + s
	}
	return s
}

func (r *renaming) method(m name.Method) name.Method {
	if short, ok := r.methods[m.Label()]; ok {
		m = m.In(r.classes[m.Class()])
		m.Name, m.File = short, "SourceFile"
	}
	return m
}

// mapping returns the mapping.txt of the obfuscator.
func (r *renaming) mapping() []byte {
	var b bytes.Buffer
	b.WriteString("# compiler: R8\n# pg_map_id: 5f1e0c2\n")
	byClass := make(map[string][]name.Method)
	var classes []string
	for _, m := range r.order {
		if byClass[m.Class()] == nil {
			classes = append(classes, m.Class())
		}
		byClass[m.Class()] = append(byClass[m.Class()], m)
	}
	slices.Sort(classes)
	for _, class := range classes {
		fmt.Fprintf(&b, "%s -> %s:\n# {\"id\":\"sourceFile\",\"fileName\":\"%s\"}\n", class, r.classes[class], sourceFile(class))
		for i, m := range byClass[class] {
			from := 30 + 25*i
			fmt.Fprintf(&b, "    %d:%d:%s:%d:%d -> %s\n", 1+20*i, 20+20*i, signature(m), from, from+19, r.methods[m.Label()])
		}
	}
	return b.Bytes()
}

// signature formats a method as a mapping does, for example void run(int,java.lang.String[]).
func signature(m name.Method) string {
	args, result, _ := strings.Cut(strings.TrimPrefix(m.Signature, "("), ")")
	var types []string
	for args != "" {
		var name string
		name, args = javaType(args)
		types = append(types, name)
	}
	back, _ := javaType(result)
	return back + " " + m.Name + "(" + strings.Join(types, ",") + ")"
}

// javaType reads the first type of a descriptor.
func javaType(desc string) (name, rest string) {
	primitive := map[byte]string{'V': "void", 'I': "int", 'J': "long", 'Z': "boolean", 'F': "float",
		'D': "double", 'B': "byte", 'C': "char", 'S': "short"}
	switch desc[0] {
	case '[':
		name, rest = javaType(desc[1:])
		return name + "[]", rest
	case 'L':
		name, rest, _ = strings.Cut(desc[1:], ";")
		return strings.ReplaceAll(name, "/", "."), rest
	}
	return primitive[desc[0]], desc[1:]
}
