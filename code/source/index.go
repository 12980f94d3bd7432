package source

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// DefaultMaxFile is the default of Options.MaxFile, in bytes. Larger files are usually generated.
const DefaultMaxFile = 4 << 20

// Options configures an Index.
type Options struct {
	// Roots are the folders to search. They may be nested.
	Roots []string
	// Workers is the number of files parsed in parallel. 0 means the number of processors.
	Workers int
	// MaxFile is the size in bytes of the largest file that is read. 0 means DefaultMaxFile.
	MaxFile int64
	// Kept returns the folder for cached outlines. Load calls it at its beginning and at its end.
	// If Kept is nil or returns "", nothing is cached.
	Kept func() (folder string)
}

// An Index finds methods in source files. The zero Index is not usable. [New] creates an Index.
type Index struct {
	roots   []string
	workers int
	maxFile int64
	seed    maphash.Seed
	kept    func() (folder string)

	walking sync.Mutex
	walker  walker

	// mu guards the maps and shape. Entries in the maps are replaced, never modified.
	mu    sync.RWMutex
	files map[string]*entry
	// types has the types of all files, by binary name.
	types map[string][]typeRef
	// inline has the functions that are declared as inline in any file, by name.
	inline map[string]inlineFunction
	// aliases has the type aliases of all files, by name.
	aliases map[string][]aliasRef
	// sections has the trace sections of all files, by slice name. Numbers in the names are
	// replaced, as in "Load #".
	sections map[string][]sectionRef
	// packages has the number of files in each package.
	packages map[string]int
	// shape is the result of Shape.
	shape uint64

	// editing guards open and recent. recent has the open files whose syntax trees are kept. The
	// most recently parsed file is last.
	editing sync.Mutex
	open    map[string]*overlay
	recent  []*overlay
	// released is set when another index has replaced this one.
	released bool
	// small parses open files below largeFile. large is locked while a large file is parsed, which
	// takes long; small files do not wait for it.
	small fileParser
	large sync.Mutex
}

// An entry is one file of the index.
type entry struct {
	path string
	*outline.File
	// modified is the time at which the file on disk was last written.
	modified time.Time
	// stale is set if the current text has not been parsed yet, or does not parse. The outline is
	// then that of an earlier text, adjusted to the later edits.
	stale bool
	// edits maps the lines of the file on disk to lines of the open text. It is nil if the texts
	// are equal.
	edits *lineMap
	hash  uint64
	// declarationHash caches the result of Index.declarationHash. It is 0 until that is called.
	declarationHash uint64
}

// A typeRef is a type declared in a file.
type typeRef struct {
	*entry
	typ int32
}

// An aliasRef is a type alias declared in a file.
type aliasRef struct {
	*entry
	typ string
}

// New returns an empty index. [Index.Load] fills it.
func New(o Options) *Index {
	x := &Index{
		workers: o.Workers, maxFile: o.MaxFile, seed: maphash.MakeSeed(), kept: o.Kept,
		files: map[string]*entry{}, types: map[string][]typeRef{}, inline: map[string]inlineFunction{}, aliases: map[string][]aliasRef{}, sections: map[string][]sectionRef{}, packages: map[string]int{}, open: map[string]*overlay{},
	}
	if x.workers <= 0 {
		x.workers = runtime.GOMAXPROCS(0)
	}
	if x.kept == nil {
		x.kept = func() string { return "" }
	}
	if x.maxFile <= 0 {
		x.maxFile = DefaultMaxFile
	}
	x.walker.maxFile = x.maxFile
	for _, root := range o.Roots {
		if abs, err := filepath.Abs(root); err == nil {
			root = abs
		}
		x.roots = append(x.roots, filepath.Clean(root))
	}
	return x
}

// replaceAll replaces all files except open files by the given files.
func (x *Index) replaceAll(files []*entry) {
	x.editing.Lock()
	defer x.editing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.files
	x.shape++
	x.files, x.types, x.inline = map[string]*entry{}, map[string][]typeRef{}, map[string]inlineFunction{}
	x.aliases, x.sections, x.packages = map[string][]aliasRef{}, map[string][]sectionRef{}, map[string]int{}
	for path := range x.open {
		if e := old[path]; e != nil {
			x.add(e)
		}
	}
	for _, e := range files {
		if e == nil {
			continue
		}
		switch o := x.open[e.path]; {
		case o == nil:
			x.add(e)
		case old[e.path] == nil && maphash.Bytes(x.seed, o.base) == e.hash:
			// The file was opened before it was read from disk, and its text has not been parsed.
			o.onDisk, o.edit = e, outline.NewEdit(o.base, o.text)
			x.add(&entry{
				path: e.path, File: e.Moved(o.edit), modified: o.modified, stale: true,
				edits: newLineMap(o.base, o.text), hash: maphash.Bytes(x.seed, o.text),
			})
		}
	}
}

// add and remove change the maps of the index. The caller holds mu.
func (x *Index) add(e *entry) {
	if before := x.files[e.path]; before == nil || x.declarationHash(before) != x.declarationHash(e) {
		x.shape++
	}
	x.remove(e.path)
	x.files[e.path] = e
	x.packages[e.Package]++
	for i := range e.Types {
		name := e.binaryName(int32(i))
		x.types[name] = append(x.types[name], typeRef{e, int32(i)})
	}
	for i := range e.Members {
		if m := &e.Members[i]; m.Inline {
			x.inline[m.Name] = x.inline[m.Name].plus(e.inlineFunction(int32(i)), 1)
		}
	}
	for _, a := range e.Aliases {
		x.aliases[a.Name] = append(x.aliases[a.Name], aliasRef{e, a.Type})
	}
	for i := range e.Sections {
		s := &e.Sections[i]
		text := plainSlice(s.Text)
		x.sections[text] = append(x.sections[text], sectionRef{e, s})
	}
	if e.Facade != "" {
		facade := e.withPackage(e.Facade)
		x.types[facade] = append(x.types[facade], typeRef{e, 0})
	}
}

// declarationHash returns a hash of the declarations that other files can depend on. The caller
// holds mu.
func (x *Index) declarationHash(e *entry) uint64 {
	if e.declarationHash == 0 {
		e.declarationHash = e.DeclarationHash(x.seed)
	}
	return e.declarationHash
}

func (x *Index) remove(path string) {
	e := x.files[path]
	if e == nil {
		return
	}
	delete(x.files, path)
	if x.packages[e.Package]--; x.packages[e.Package] == 0 {
		delete(x.packages, e.Package)
	}
	for i := range e.Types {
		name := e.binaryName(int32(i))
		dropEntry(x.types, name, func(r typeRef) bool { return r.entry == e })
	}
	for i := range e.Members {
		if m := &e.Members[i]; m.Inline {
			if f := x.inline[m.Name].plus(e.inlineFunction(int32(i)), -1); f.count > 0 {
				x.inline[m.Name] = f
			} else {
				delete(x.inline, m.Name)
			}
		}
	}
	for _, a := range e.Aliases {
		dropEntry(x.aliases, a.Name, func(r aliasRef) bool { return r.entry == e })
	}
	for i := range e.Sections {
		dropEntry(x.sections, plainSlice(e.Sections[i].Text), func(r sectionRef) bool { return r.entry == e })
	}
	if e.Facade != "" {
		dropEntry(x.types, e.withPackage(e.Facade), func(r typeRef) bool { return r.entry == e })
	}
}

// dropEntry removes the values of a key for which drop returns true. It removes the key if no
// values remain.
func dropEntry[T any](from map[string][]T, key string, drop func(T) bool) {
	if rest := slices.DeleteFunc(from[key], drop); len(rest) > 0 {
		from[key] = rest
	} else {
		delete(from, key)
	}
}

// Suppressed reports whether a file suppresses findings on a line, counted from 0.
//
// Findings are suppressed by @SuppressWarnings("diffprof") or @Suppress("diffprof") on a
// declaration that contains the line. They are also suppressed by the comment "// diffprof:ignore"
// on the line, above it, or above a declaration that contains it.
func (x *Index) Suppressed(path string, line int) bool {
	e := x.entryOf(path)
	return e != nil && e.Suppresses(uint32(line))
}

// Line converts a line number of a file on disk to the open text. Both are counted from 1. It
// returns 0 if the line was edited, if the file has fewer lines, or if the file is not in the
// index.
func (x *Index) Line(path string, line int) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	e := x.files[path]
	if e == nil {
		return 0
	}
	if line = e.edits.line(line); line > int(e.Lines) {
		return 0
	}
	return line
}

// Declares returns the names of the top-level classes of a file, including the class that holds the
// functions of a Kotlin file. For a file that begins trace slices, it adds the name "". It returns
// nil for a file that is not in the index.
func (x *Index) Declares(path string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	e := x.files[path]
	if e == nil {
		return nil
	}
	var names []string
	for i := range e.Types {
		names = addOnce(names, TopLevel(e.binaryName(int32(i))))
	}
	if e.Facade != "" {
		names = addOnce(names, e.withPackage(e.Facade))
	}
	if len(e.Sections) > 0 {
		names = append(names, "")
	}
	return names
}

// Shape returns a number that changes when declarations change: when files are added or removed, or
// when the types of a file, the signatures of their members or the names of slices change. While
// the number is the same, results about the classes of a file depend only on that file.
func (x *Index) Shape() uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.shape
}

// binaryName returns a type's name with its package.
func (e *entry) binaryName(typ int32) string {
	return e.withPackage(e.Types[typ].Name)
}

// Refresh reads a file again after it was written, created or removed. If path is a folder that was
// removed, Refresh drops all files below it. An open file keeps its open text, and the index only
// records the new text on disk.
func (x *Index) Refresh(ctx context.Context, path string) error {
	return x.refresh(ctx, filepath.Clean(path), nil)
}

// refresh implements Refresh. If the entry known has the same text, refresh reuses its outline. The
// entry may be nil.
func (x *Index) refresh(ctx context.Context, path string, known *entry) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		x.drop(path)
		return nil
	}
	if _, ok := language(path); !ok {
		return nil
	}
	if x.refreshOpen(path) {
		return nil
	}
	parser := syntaxtree.NewParser()
	defer parser.Close()
	e, err := x.read(ctx, parser, nil, path, x.entryOf(path), known)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	x.editing.Lock()
	defer x.editing.Unlock()
	if x.open[path] == nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.add(e)
	}
	return nil
}

// drop removes a path and all files below it, except for open files.
func (x *Index) drop(path string) {
	x.editing.Lock()
	defer x.editing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	below := path + string(filepath.Separator)
	var dropped []string
	for p := range x.files {
		if (p == path || strings.HasPrefix(p, below)) && x.open[p] == nil {
			dropped = append(dropped, p)
		}
	}
	for _, p := range dropped {
		x.remove(p)
		x.shape++
	}
}

// Len returns the number of files in the index.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.files)
}
