package analysis

import (
	"context"
	"strings"

	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/name"
)

// sites are the calls in the class and dex files of an input.
type sites struct {
	bytecode.Sites
	related func(a, b string) bool
}

// readSites reads the calls that the app's own methods make, from the class and dex files of
// Options.Classpath. It reads only methods that ran. It reads nothing if the recording has a
// mapping: R8 changes the code after the compiler has written the class files.
func (s *setup) readSites(ctx context.Context, in *Input) error {
	if len(s.options.Classpath) == 0 || in.Mapping != nil {
		return nil
	}
	wanted := make(map[string]bool)
	files := make(map[string]bool) // by file name
	for i, m := range in.Tree.Source.Methods {
		if in.Own.Methods[i] != "" {
			wanted[m.Class()] = true
			files[m.Class()[strings.LastIndexByte(m.Class(), '.')+1:]+".class"] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	in.sites = &sites{related: s.platform.Related}
	for _, path := range s.options.Classpath {
		err := classes.Visit(ctx, path, classes.Limits{}, func(base string) bool { return files[base] }, func(data []byte) {
			// newSetup has already warned about damaged files.
			if bytecode.IsDex(data) {
				classes, _ := bytecode.ParseDex(data, func(class string) bool { return wanted[class] })
				for _, class := range classes {
					in.sites.Add(class)
				}
			} else if class, err := bytecode.Parse(data); err == nil {
				in.sites.Add(class)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CallLines returns the source lines at which the method caller calls the method callee: the base
// name of the source file, and the lines from 1. They come from the class and dex files of
// Options.Classpath. It returns no lines if these files have no such call or are ambiguous.
func (in *Input) CallLines(caller, callee name.Method) (file string, lines []int) {
	if in.sites == nil {
		return "", nil
	}
	return in.sites.Lines(caller, callee, in.sites.related)
}
