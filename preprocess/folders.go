package preprocess

import (
	"cmp"
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A script has the names of the functions of a script in one run.
type script struct {
	functions map[string]bool
	// shared is set if the other run has a script with the same path.
	shared bool
}

// A home is the new path of a script, if the two runs have the program in different folders. The
// script is compared by path, and labels show the shorter text shown, such as …/lib/a.js.
type home struct{ path, shown string }

// folders finds a program that the two runs have in different folders, such as two checkouts of it.
// It returns the new path (home) of each script by its path in either folder. labels has the
// indices of each run's words.
//
// Two folders have the same program if the scripts with equal paths in them have at least half of
// their functions in common. Swapping the runs does not change the result.
func folders(words []labelEntry, labels [][]LabelID) map[string]home {
	if len(labels) != 2 {
		return nil
	}
	scripts := [2]map[string]*script{scriptsOf(words, labels[0]), scriptsOf(words, labels[1])}
	for path, s := range scripts[0] {
		if other := scripts[1][path]; other != nil {
			s.shared, other.shared = true, true
		}
	}
	best, found := bestFolders(scripts)
	if !found {
		return nil
	}
	to := min(best[0], best[1])
	homes := make(map[string]home)
	for k, all := range scripts {
		for path, s := range all {
			if rest, ok := strings.CutPrefix(path, best[k]+"/"); ok && !s.shared && (best[k] == to || all[to+"/"+rest] == nil) {
				homes[path] = home{to + "/" + rest, "…/" + rest}
			}
		}
	}
	return homes
}

// scriptsOf returns the scripts of a run by path.
func scriptsOf(words []labelEntry, labels []LabelID) map[string]*script {
	scripts := make(map[string]*script)
	for _, i := range labels {
		if i < 0 {
			continue
		}
		m := words[i].method
		if m.Lang != name.JavaScript && m.Lang != name.Python || !strings.Contains(m.Scope, "/") || strings.HasPrefix(m.Scope, "node:") {
			continue
		}
		s := scripts[m.Scope]
		if s == nil {
			s = &script{functions: make(map[string]bool)}
			scripts[m.Scope] = s
		}
		if !anyFunction[m.Name] {
			s.functions[m.Name] = true
		}
	}
	return scripts
}

// anyFunction lists function names that occur in many unrelated scripts.
var anyFunction = map[string]bool{
	"": true, "(anonymous)": true, "<module>": true, "<lambda>": true, "main": true, "run": true, "start": true, "init": true, "handler": true,
	"get": true, "set": true, "test": true, "wrapper": true, "__init__": true, "constructor": true,
}

// bestFolders returns the two folders whose scripts have the most functions in common. found is
// false if no two folders have the same program.
func bestFolders(scripts [2]map[string]*script) (best [2]string, found bool) {
	named := make(map[string][]string)
	for path, s := range scripts[1] {
		if !s.shared {
			named[last(path)] = append(named[last(path)], path)
		}
	}
	common := make(map[[2]string]int)
	for path, s := range scripts[0] {
		// Packages may have hundreds of scripts with the same file name, such as index.js.
		if others := named[last(path)]; !s.shared && len(others) <= maxSameName {
			for _, other := range others {
				n := 0
				for f := range s.functions {
					if scripts[1][other].functions[f] {
						n++
					}
				}
				common[foldersOf(path, other)] += n
			}
		}
	}
	ordered := func(f [2]string) (string, string) { return min(f[0], f[1]), max(f[0], f[1]) }
	for f, n := range common {
		a, b := ordered(f)
		c, d := ordered(best)
		if !found || cmp.Or(cmp.Compare(n, common[best]), strings.Compare(c, a), strings.Compare(d, b), strings.Compare(best[0], f[0])) > 0 {
			best, found = f, true
		}
	}
	if !found {
		return best, false
	}
	fewer := -1
	for k, all := range scripts {
		n := 0
		for path, s := range all {
			if !s.shared && strings.HasPrefix(path, best[k]+"/") {
				n += len(s.functions)
			}
		}
		if fewer < 0 || n < fewer {
			fewer = n
		}
	}
	n := common[best]
	return best, n >= minFunctions && (2*n >= fewer)
}

// maxSameName is the maximum number of scripts with the same file name that are compared.
const maxSameName = 100

// minFunctions is the minimum number of functions that two folders with the same program have in
// common.
const minFunctions = 2

// foldersOf removes the longest common end from two paths, by whole parts. The rests are the
// folders of the two programs.
func foldersOf(a, b string) [2]string {
	for {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if i < 0 || j < 0 || a[i:] != b[j:] {
			return [2]string{a, b}
		}
		a, b = a[:i], b[:j]
	}
}

// last returns the last part of a path.
func last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
