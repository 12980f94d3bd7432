package source

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// largeFile is the size in bytes from which a file is parsed beside the others.
const largeFile = 256 << 10

// maxTrees is how many open files keep their trees, which makes parsing them again quick.
// Trees are many times as large as their texts, and few of the open files are edited.
const maxTrees = 8

// An overlay is a file that is open in an editor. The index's lock editing guards it,
// but for its tree.
type overlay struct {
	lang syntaxtree.Language
	// text is what the editor has, in its version, and edit what it did last.
	text    []byte
	version int32
	edit    *outline.Edit
	// parsed is the version that was parsed last.
	parsed int32
	// base is the file's text on disk, nil if it has none.
	base     []byte
	modified time.Time
	// onDisk is what was known of the file as it was opened, nil if that was nothing.
	onDisk *entry

	// parsing is held while the text is parsed.
	parsing sync.Mutex
	// buffer keeps the tree of a file that is not large. The lane for small files guards it.
	buffer *syntaxtree.Buffer
}

// A lane parses one file after the other, and keeps its parser.
type lane struct {
	mu     sync.Mutex
	parser *syntaxtree.Parser
}

// rest gives the parser's memory back. It waits for what is being parsed.
func (l *lane) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parser != nil {
		l.parser.Close()
		l.parser = nil
	}
}

// large reports whether the parser had better be given back as soon as a file is closed.
func (l *lane) large() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parser != nil && l.parser.Large()
}

// dropTrees frees the trees of all open files. The caller holds editing.
func (x *Index) dropTrees() {
	for _, o := range x.recent {
		x.dropTree(o)
	}
	x.recent = nil
}

// dropTree frees the tree of an open file.
func (x *Index) dropTree(o *overlay) {
	x.small.mu.Lock()
	defer x.small.mu.Unlock()
	o.buffer.Close()
}

// Update sets the content of a file that is open in an editor. Until Close, it
// replaces the content on disk. A version that is not above the last one is ignored,
// so updates may arrive in any order. A file that is neither Java nor Kotlin is
// ignored, too. Update keeps content, which must not change any more.
//
// While a file does not parse, what is known of its last text that did moves through the
// edits.
func (x *Index) Update(ctx context.Context, path string, content []byte, version int32) error {
	path = filepath.Clean(path)
	if err := x.Move(path, content, version); err != nil {
		return err
	}
	x.editing.Lock()
	o := x.open[path]
	x.editing.Unlock()
	if o == nil {
		return nil
	}
	return x.parse(ctx, path, o)
}

// Large reports whether a text takes so long to parse that Update had better be called
// in the background, after Move.
func Large(content []byte) bool { return len(content) >= largeFile }

// LargeFile reports the same of a file on disk, for Refresh after Close.
func LargeFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() >= largeFile
}

// Move is Update without parsing, which takes no time to speak of: until the next Update,
// what is known of the text before moves through the edit, and what the edit added is not
// known.
func (x *Index) Move(path string, content []byte, version int32) error {
	path = filepath.Clean(path)
	lang, ok := language(path)
	if !ok {
		return nil
	}
	if int64(len(content)) > x.maxFile {
		return fmt.Errorf("%s: %w", path, errTooLarge)
	}
	x.editing.Lock()
	defer x.editing.Unlock()
	if x.released {
		return nil
	}
	o := x.open[path]
	if o == nil {
		o = &overlay{lang: lang, buffer: syntaxtree.NewBuffer(lang), version: version - 1, parsed: version - 1}
		// The error means that the file is not on disk: no recording knows its lines.
		o.base, o.modified, _ = x.text(path)
		o.text, o.onDisk = o.base, x.entryOf(path)
		x.open[path] = o
	}
	if version <= o.version {
		return nil
	}
	before := x.entryOf(path)
	if before != nil && maphash.Bytes(x.seed, o.text) != before.hash {
		before = nil
	}
	switch {
	case before == nil:
	case bytes.Equal(o.text, content) && !before.behind:
		// Most files are opened as they are on disk, where they were read already.
		o.parsed = version
	default:
		o.edit = outline.NewEdit(o.text, content)
		x.put(o, &entry{path: path, File: before.Moved(o.edit), behind: true}, content)
	}
	o.text, o.version = content, version
	return nil
}

// entryOf returns a file of the index, nil if it has none of that path.
func (x *Index) entryOf(path string) *entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.files[path]
}

// put adds what is known of an open file, whose text is given. The caller holds editing.
func (x *Index) put(o *overlay, e *entry, text []byte) {
	e.modified, e.hash, e.edits = o.modified, maphash.Bytes(x.seed, text), newLineMap(o.base, text)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.add(e)
}

// parse parses the text of an open file, unless that was done.
func (x *Index) parse(ctx context.Context, path string, o *overlay) error {
	o.parsing.Lock()
	defer o.parsing.Unlock()
	x.editing.Lock()
	text, version := o.text, o.version
	closed, done := x.open[path] != o, version == o.parsed
	x.editing.Unlock()
	if closed || done {
		return nil
	}
	file, err := x.outline(ctx, filepath.Base(path), o, text)
	x.editing.Lock()
	defer x.editing.Unlock()
	if x.open[path] != o {
		x.dropTree(o)
		return nil
	}
	if x.released {
		x.dropTree(o)
		return nil
	}
	x.keepTree(o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	o.parsed = version
	if version != o.version {
		// The text was edited while it was parsed.
		file = file.Moved(outline.NewEdit(text, o.text))
	}
	if before := x.entryOf(path); before != nil && before.behind && halfTyped(file, before.File, o) {
		return nil
	}
	x.put(o, &entry{path: path, File: file, behind: version != o.version}, o.text)
	return nil
}

// outline parses a text. The caller holds the overlay.
func (x *Index) outline(ctx context.Context, name string, o *overlay, text []byte) (*outline.File, error) {
	if Large(text) {
		// No tree is kept of a large file: it would have hundreds of megabytes.
		x.dropTree(o)
		x.large.Lock()
		defer x.large.Unlock()
		parser := syntaxtree.NewParser()
		defer parser.Close()
		return outline.Parse(ctx, parser, o.lang, name, text)
	}
	x.small.mu.Lock()
	defer x.small.mu.Unlock()
	if x.small.parser == nil {
		x.small.parser = syntaxtree.NewParser()
	}
	tree, err := x.small.parser.ParseBuffer(ctx, o.buffer, text)
	if err != nil {
		return nil, err
	}
	return outline.FromTree(tree, o.lang, name), nil
}

// halfTyped reports whether an open file is one that somebody is typing in, so that its
// outline is not to be believed. moved is the last one that was, moved through the edits.
//
// A syntax error tells it, unless there was one before, which may be syntax that the
// parser does not know. A text without one may also lack something that was understood
// before, or understand it otherwise: what lies in a comment that was not closed, or below
// a line that goes on in the next.
func halfTyped(file, moved *outline.File, o *overlay) bool {
	if file.Broken && !moved.Broken {
		return true
	}
	lost, ok := file.Lacks(moved, o.edit, 0)
	switch {
	case file.Broken:
		return ok
	case moved.Broken:
		return false
	case ok && (inOpenComment(o.text, int(lost)) || o.edit.JustAbove(lost)):
		return true
	}
	gained, ok := moved.Lacks(file, o.edit, o.edit.End())
	return ok && o.edit.JustAbove(gained)
}

// inOpenComment reports whether an offset lies in a comment that was not closed: it ends
// with the next comment, whose beginning it contains.
func inOpenComment(text []byte, offset int) bool {
	before, after := text[:offset], text[offset:]
	begin := bytes.LastIndex(before, []byte("/*"))
	if begin < 0 || bytes.Contains(before[begin+2:], []byte("*/")) {
		return false
	}
	end := bytes.Index(after, []byte("*/"))
	return end >= 0 && bytes.Contains(after[:end], []byte("/*"))
}

// keepTree notes that an overlay has a tree, and drops the one that was not used for
// longest. The caller holds editing.
func (x *Index) keepTree(o *overlay) {
	x.recent = slices.DeleteFunc(x.recent, func(r *overlay) bool { return r == o })
	x.recent = append(x.recent, o)
	if len(x.recent) > maxTrees {
		x.dropTree(x.recent[0])
		x.recent = slices.Delete(x.recent, 0, 1)
	}
}

// Close ends what Update began: the content on disk counts again. A file that is not
// on disk leaves the index. Of a large file that was edited, what is known moves to where it
// is on disk; Refresh parses it.
func (x *Index) Close(ctx context.Context, path string) error {
	path = filepath.Clean(path)
	x.editing.Lock()
	o := x.open[path]
	if o == nil {
		x.editing.Unlock()
		return x.refresh(ctx, path, nil)
	}
	delete(x.open, path)
	x.recent = slices.DeleteFunc(x.recent, func(r *overlay) bool { return r == o })
	x.dropTree(o)
	back := x.moveBack(path, o)
	rest := len(x.open) == 0 || x.small.large()
	if rest {
		x.dropTrees()
	}
	x.editing.Unlock()
	if rest {
		x.small.rest()
	}
	if back {
		return nil
	}
	return x.refresh(ctx, path, o.onDisk)
}

// moveBack moves what is known of a large file to where it is on disk. It returns false
// if the file is small, or if what is on disk is known. The caller holds editing.
func (x *Index) moveBack(path string, o *overlay) bool {
	text, modified, err := x.text(path)
	if err != nil || !Large(text) {
		return false
	}
	hash, before := maphash.Bytes(x.seed, text), x.entryOf(path)
	if before == nil || before.hash != maphash.Bytes(x.seed, o.text) || o.onDisk != nil && o.onDisk.hash == hash {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.add(&entry{path: path, File: before.Moved(outline.NewEdit(o.text, text)), modified: modified, behind: true, hash: hash})
	return true
}

// Release gives back the memory of trees and parsers, for an index whose place another
// takes. What is known of files stays, and follows no edits any more.
func (x *Index) Release() {
	x.editing.Lock()
	x.released = true
	x.dropTrees()
	x.editing.Unlock()
	x.small.rest()
}

// refreshOpen notes the text that an open file has on disk now; false if it is not open.
func (x *Index) refreshOpen(path string) bool {
	x.editing.Lock()
	defer x.editing.Unlock()
	o := x.open[path]
	if o != nil {
		o.base, o.modified, _ = x.text(path)
	}
	return o != nil
}
