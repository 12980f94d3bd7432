package words

import (
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
)

// Name returns the short name of an input: the name of its file without the extensions of the
// format.
func Name(path string) string {
	name := filepath.Base(path)
	for {
		ext := filepath.Ext(name)
		switch strings.ToLower(ext) {
		case ".gz", ".zst", ".trace", ".folded", ".txt":
			if short := strings.TrimSuffix(name, ext); short != "" {
				name = short
				continue
			}
		}
		return name
	}
}

// Names returns the short names of two inputs. If they are equal, the nearest folders that differ
// are added: new/run and old/run, or new/…/run and old/…/run. If no folder differs, the names are
// the paths.
func Names(subject, reference string) (string, string) {
	one, other := Name(subject), Name(reference)
	if one != other || subject == reference {
		return one, other
	}
	here, there := filepath.Dir(filepath.Clean(subject)), filepath.Dir(filepath.Clean(reference))
	for between := "/"; ; between = "/…/" {
		first, second := filepath.Base(here), filepath.Base(there)
		if unnamed(first) || unnamed(second) {
			return subject, reference
		}
		if first != second {
			return first + between + one, second + between + other
		}
		here, there = filepath.Dir(here), filepath.Dir(there)
	}
}

// otherRun names the reference if both runs have the same name.
const otherRun = "the other run"

// sideNames returns the names of the two inputs in sentences. They always differ.
func sideNames(r *analysis.Result) (here, there string) {
	here, there = Names(r.Subject.Path, r.Reference.Path)
	if here == there {
		return "this run", otherRun
	}
	return here, there
}

// unnamed reports whether a part of a path is not a folder's name.
func unnamed(part string) bool {
	return part == "." || part == ".." || strings.HasSuffix(part, string(filepath.Separator))
}
