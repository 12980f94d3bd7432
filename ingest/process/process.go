// Package process finds the process that a reader of a recording of several processes
// asks for.
//
// A process is named by its number or by its name. Android and Linux keep 15 bytes of a
// name where a thread's name is all that was recorded: Android its end, Linux its begin. So
// a name of that length stands for each longer name that ends or begins with it, unless
// another process has the whole name.
package process

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// All is what a reader writes for all processes together.
const All = "*"

const (
	// commLen is the length of the names that Linux keeps of threads, in bytes.
	commLen = 15
	// shown is how many processes an error names.
	shown = 12
)

// Find returns the index of the process that wanted names. Errors name processes in the
// order of all, so that those come first that a reader may mean. They need the place of
// the recording, and are for a reader to put right.
func Find(all []trace.Process, wanted string) (int, error) {
	if id, err := strconv.ParseInt(wanted, 10, 64); err == nil {
		for i, p := range all {
			if p.ID == id {
				return i, nil
			}
		}
	}
	for _, is := range []func(string) bool{
		func(name string) bool { return name == wanted },
		func(name string) bool {
			return len(name) == commLen && (strings.HasSuffix(wanted, name) || strings.HasPrefix(wanted, name))
		},
	} {
		var found []int
		for i, p := range all {
			if is(p.Name) {
				found = append(found, i)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		same := make([]trace.Process, len(found))
		for i, f := range found {
			same[i] = all[f]
		}
		return 0, fmt.Errorf("%d processes are called %q: say which by its number, of %s", len(found), wanted, list(same))
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("there is no process %q: the recording names none", wanted)
	}
	return 0, fmt.Errorf("there is no process %q; there are %s", wanted, list(all))
}

// list names processes with their numbers.
func list(all []trace.Process) string {
	var b strings.Builder
	for i, p := range all {
		switch {
		case i == shown:
			fmt.Fprintf(&b, " and %d more", len(all)-shown)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		if p.Name == "" {
			fmt.Fprintf(&b, "%d", p.ID)
		} else {
			fmt.Fprintf(&b, "%s (%d)", p.Name, p.ID)
		}
	}
	return b.String()
}

// Name returns what a process is called whose main thread has a name: that, or the name of
// the app that was recorded, where the thread's is a part of it or there is no other process.
func Name(main, app string, alone bool) string {
	if app != "" && (alone || main != "" && (strings.HasSuffix(app, main) || strings.HasPrefix(app, main))) {
		return app
	}
	return strings.ToValidUTF8(main, "\uFFFD")
}

// Several returns a warning where more than one process is read.
func Several(all []trace.Process) []trace.Warning {
	if len(all) < 2 {
		return nil
	}
	return []trace.Warning{{
		Code:    "several-processes",
		Message: fmt.Sprintf("samples of %d processes are read together; --process chooses one", len(all)),
	}}
}
