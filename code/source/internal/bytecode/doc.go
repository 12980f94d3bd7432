// Package bytecode reads what class files say of calls: which method calls which, and
// on which line of the source.
//
// It is the truth that the places of code/source are held to, and shares no code with
// it. It reads the files that compilers wrote, not hostile ones: a damaged file is an
// error without a place in it.
//
// Source: The Java Virtual Machine Specification, chapters 4 and 6; JSR 45 for the lines
// of code that Kotlin inlined.
package bytecode

import "github.com/diffprof/diffprof/code/name"

// A Class is a class file.
type Class struct {
	// Name is the binary name, with dots between packages.
	Name string
	// File is the own name of the source file, empty if the class does not tell it.
	File string
	// Super is the superclass, empty if there is none. Interfaces are those that the class
	// names.
	Super      string
	Interfaces []string
	// Declares has the names and descriptors of all methods that the class declares, also
	// of those without code.
	Declares map[string]bool
	Methods  []Method
}

// A Method is a method with code.
type Method struct {
	name.Method
	// Bridge is set for methods that only call another one, for the sake of its type.
	// Synthetic is set for all methods that the compiler says it made.
	Bridge, Synthetic bool
	// First and Last are the least and the greatest line of the method's own code, 0 if
	// the class tells none.
	First, Last int
	Calls       []Call
}

// A Call is an instruction that invokes a method by its name.
type Call struct {
	Callee name.Method
	// Line is the line in the class's own file, 0 if unknown. For code that was inlined it
	// is the line of the call that the code replaces.
	Line int
	// Inlined is set for such code.
	Inlined bool
}
