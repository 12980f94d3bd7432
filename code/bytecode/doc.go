// Package bytecode reads the calls in class files and DEX files: which method calls which other
// method, and on which source line.
//
// [Sites] finds these lines for apps whose sources are not available. Tests also use it to check
// the call sites that code/source finds, so the two packages share no code.
//
// The package accepts any data. Errors about damaged files have no position.
//
// Sources: The Java Virtual Machine Specification, chapters 4 and 6, and JSR 45 for the lines of
// code that Kotlin inlined.
package bytecode

import "github.com/diffprof/diffprof/name"

// A Class is a class file, or a class in a DEX file.
type Class struct {
	// Name is the binary name, with dots between packages.
	Name string
	// File is the base name of the source file, or "" if unknown.
	File string
	// Super is the superclass, or "" if there is none. Interfaces are the direct interfaces.
	Super      string
	Interfaces []string
	// Declares has all methods of the class, including methods without code. For example, "run()V".
	Declares map[string]bool
	Methods  []Method
}

// A Method is a method with code.
type Method struct {
	name.Method
	// Bridge is set for methods that only forward to a method with other types. Synthetic is set
	// for all methods that the compiler marks as generated.
	Bridge, Synthetic bool
	// First and Last are the lowest and the highest line of the method's own code. They are 0 if
	// unknown.
	First, Last int
	Calls       []Call
}

// A Call is an instruction that invokes a method by name.
type Call struct {
	Callee name.Method
	// Line is the line in the class's own source file, or 0 if unknown. For inlined code, it is the
	// line of the call that the code replaced.
	Line int
	// Inlined reports whether the instruction belongs to inlined code.
	Inlined bool
}
