// Package process finds the process that the user requested in a recording of several processes.
//
// The user states the number or the name of a process. For some processes, a recording has only the
// name of a thread, which the system truncates to 15 bytes. Android keeps the end of the name, and
// Linux keeps its start. A recorded name of 15 bytes therefore matches each longer name that begins
// or ends with it: ndroid.settings matches com.android.settings. An exact match takes precedence.
package process

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// All is the name that selects all processes together.
const All = "*"

const (
	// commLen is the largest length of thread names on Linux, in bytes.
	commLen = 15
	// shown is the number of processes that an error message lists.
	shown = 12
)

// Find returns the index of the wanted process. Errors list the processes in the given order, so
// the most likely processes should come first. Callers add the position in the file to an error.
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
		return 0, fmt.Errorf("%d processes are named %q: choose one by its number: %s", len(found), wanted, list(same))
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("no process %q: the recording names no processes", wanted)
	}
	return 0, fmt.Errorf("no process %q; the processes are %s", wanted, list(all))
}

// list lists processes with their numbers.
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

// Name returns the name of a process. main is the name of its main thread, and app is the name of
// the recorded app. Name returns app if main is the start or the end of app, or if alone is set,
// because there is only one process. Otherwise it returns main.
func Name(main, app string, alone bool) string {
	if app != "" && (alone || main != "" && (strings.HasSuffix(app, main) || strings.HasPrefix(app, main))) {
		return app
	}
	return strings.ToValidUTF8(main, "\uFFFD")
}

// Several returns a warning if several processes are read.
func Several(all []trace.Process) []trace.Warning {
	if len(all) < 2 {
		return nil
	}
	return []trace.Warning{{
		Code:    "several-processes",
		Message: fmt.Sprintf("samples of %d processes are read together; --process chooses one", len(all)),
	}}
}
