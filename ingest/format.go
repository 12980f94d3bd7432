package ingest

import (
	"context"

	"github.com/diffprof/diffprof/trace"
)

// A Format is a format of recordings. What is said of it here is all that
// docs/formats.md, diffprof info, the message for unknown files and the editors'
// pickers say.
type Format struct {
	// Name is what programs call it, and what Trace.Format is.
	Name string
	// Title is what people call recordings of the format, in the plural.
	Title string
	// Begins says what such files begin with.
	Begins string
	// Extensions are those that such files usually have and few others, without the
	// dot. Pickers go by them; what a file is is told by its content alone.
	Extensions []string
	// Carries says what recordings hold, each fact once and in the order of
	// FactNames. A fact that is not there is not carried.
	Carries []Fact
	// ThreadClock says what to do for processor time where a recording of the format has
	// elapsed time alone; empty where the format never has.
	ThreadClock string
	// Flows says that hand-overs between threads may lie beside it.
	Flows bool
	// Record are ways to make such files, the commonest first.
	Record []Recipe
	// Sniff says whether a file is of the format. It looks at the source's head or
	// at the names in its folder, and at nothing else.
	Sniff func(*Source) bool
	// Decode reads a source to its end and gives what it finds to sink. Errors of
	// the file are *syntax.Error, without its path.
	Decode func(context.Context, *Source, trace.Sink, Options) (*trace.Trace, error)
}

// A Fact is something that a recording holds, and where it does.
type Fact struct{ Name, How string }

// FactNames are the names of all facts, in the order that they are shown in.
func FactNames() []string {
	return []string{"run", "methods", "threads", "clocks", "energy", "calls", "hand-overs", "signals"}
}

// A Recipe is a way to record.
type Recipe struct {
	// With is what it takes.
	With string
	// Steps are commands, or what to do.
	Steps []string
	// Note may be empty.
	Note string
}

// Formats returns the formats that can be read, in the order in which they are
// tried: those with a magic number first, plain text last.
func Formats() []Format { return append(binaryFormats(), textFormats()...) }
