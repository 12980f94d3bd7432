package words

import (
	"path/filepath"
	"strings"

	"github.com/diffprof/diffprof/analysis"
)

// Name is what people call an input: its file's name without what says the format.
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

// Names are what people call two inputs. Where they are called the same, the nearest folder in
// which they differ stands before, new/run and old/run, new/…/run and old/…/run; where none does,
// they are their paths.
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

// otherRun is what the reference is called where both runs have one name.
const otherRun = "the other run"

// sideNames are what sentences call the two inputs of a comparison. They always differ.
func sideNames(r *analysis.Result) (here, there string) {
	here, there = Names(r.Subject.Path, r.Reference.Path)
	if here == there {
		return "this run", otherRun
	}
	return here, there
}

// unnamed says whether a part of a path is no folder's name.
func unnamed(part string) bool {
	return part == "." || part == ".." || strings.HasSuffix(part, string(filepath.Separator))
}
