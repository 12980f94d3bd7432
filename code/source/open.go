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

// largeFile is a size in bytes. Files of at least this size are parsed in parallel with other
// files.
const largeFile = 256 << 10

// maxTrees is the maximum number of open files whose syntax trees are kept. A kept tree makes
// parsing the file again fast, but is many times as large as the text. Few open files are edited.
const maxTrees = 8

// An overlay is a file that is open in an editor. Index.editing guards all its fields except
// parsing and buffer.
type overlay struct {
	lang syntaxtree.Language
	// text is the editor's text at the given version. edit is its latest edit.
	text    []byte
	version int32
	edit    *outline.Edit
	// parsed is the version that was last parsed.
	parsed int32
	// base is the text of the file on disk. It is nil if the file is not on disk.
	base     []byte
	modified time.Time
	// onDisk is the entry of the file before it was opened, or nil.
	onDisk *entry

	// parsing is locked while the text is parsed.
	parsing sync.Mutex
	// buffer keeps the syntax tree if the file is not large. The mutex of Index.small guards it.
	buffer *syntaxtree.Buffer
}

// A fileParser parses files one at a time, with a parser that it keeps.
type fileParser struct {
	mu     sync.Mutex
	parser *syntaxtree.Parser
}

// rest frees the parser's memory. If a file is being parsed, it waits for the end.
func (l *fileParser) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parser != nil {
		l.parser.Close()
		l.parser = nil
	}
}

// large reports whether the parser uses so much memory that closing a file should free it.
func (l *fileParser) large() bool {
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

// Update sets the content of a file that is open in an editor. Until Close, it replaces the content
// on disk. Updates may arrive in any order, because Update ignores a version that is not above the
// last version. It also ignores a file that is neither Java nor Kotlin. Update retains content,
// which must not be modified.
//
// While a text does not parse, the index uses the outline of the last text that parsed, adjusted to
// the edits.
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

// Large reports whether parsing a text is slow. If so, call Move, and then Update in the
// background.
func Large(content []byte) bool { return len(content) >= largeFile }

// LargeFile does the same as Large, for a file on disk. Refresh parses such a file after Close.
func LargeFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() >= largeFile
}

// Move sets the content of an open file like Update, but does not parse it and is fast. Until the
// next Update, the index uses the earlier outline, adjusted to the edit. Code that the edit added
// is then missing.
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
		// If there is an error, the file is not on disk, and no recording refers to its lines.
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
	case bytes.Equal(o.text, content) && !before.stale:
		// The file was opened with the content that it has on disk, as is usual. That content was
		// already parsed.
		o.parsed = version
	default:
		o.edit = outline.NewEdit(o.text, content)
		x.put(o, &entry{path: path, File: before.Moved(o.edit), stale: true}, content)
	}
	o.text, o.version = content, version
	return nil
}

// entryOf returns the index's entry for a path, or nil.
func (x *Index) entryOf(path string) *entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.files[path]
}

// put adds the entry of an open file with the given text. The caller holds editing.
func (x *Index) put(o *overlay, e *entry, text []byte) {
	e.modified, e.hash, e.edits = o.modified, maphash.Bytes(x.seed, text), newLineMap(o.base, text)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.add(e)
}

// parse parses the text of an open file, unless that version was already parsed.
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
		// The text was edited while an earlier version of it was parsed.
		file = file.Moved(outline.NewEdit(text, o.text))
	}
	if before := x.entryOf(path); before != nil && before.stale && isBeingTyped(file, before.File, o) {
		return nil
	}
	x.put(o, &entry{path: path, File: file, stale: version != o.version}, o.text)
	return nil
}

// outline parses a text of an open file. The caller holds o.parsing.
func (x *Index) outline(ctx context.Context, name string, o *overlay, text []byte) (*outline.File, error) {
	if Large(text) {
		// The tree of a large file is not kept. It would take hundreds of megabytes.
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

// isBeingTyped reports whether someone seems to be typing in an open file. The new outline, file,
// is then unreliable. moved is the last reliable outline, adjusted to the edits.
//
// A new syntax error is a sign of typing. An error that was there before is not, because the parser
// may not know some syntax. A text without an error may also be half-typed: it may lack code that
// was there before, or parse that code differently. Examples are code in an unclosed comment, and
// code after a line that continues on the next line.
func isBeingTyped(file, moved *outline.File, o *overlay) bool {
	if file.Broken && !moved.Broken {
		return true
	}
	lost, ok := file.Missing(moved, o.edit, 0)
	switch {
	case file.Broken:
		return ok
	case moved.Broken:
		return false
	case ok && (inOpenComment(o.text, int(lost)) || o.edit.JustAbove(lost)):
		return true
	}
	gained, ok := moved.Missing(file, o.edit, o.edit.End())
	return ok && o.edit.JustAbove(gained)
}

// inOpenComment reports whether an offset is in an unclosed comment. Such a comment extends to the
// end of the next comment, so it contains another start of a comment.
func inOpenComment(text []byte, offset int) bool {
	before, after := text[:offset], text[offset:]
	begin := bytes.LastIndex(before, []byte("/*"))
	if begin < 0 || bytes.Contains(before[begin+2:], []byte("*/")) {
		return false
	}
	end := bytes.Index(after, []byte("*/"))
	return end >= 0 && bytes.Contains(after[:end], []byte("/*"))
}

// keepTree records that an overlay has a syntax tree. If there are more than maxTrees, it drops the
// least recently parsed tree. The caller holds editing.
func (x *Index) keepTree(o *overlay) {
	x.recent = slices.DeleteFunc(x.recent, func(r *overlay) bool { return r == o })
	x.recent = append(x.recent, o)
	if len(x.recent) > maxTrees {
		x.dropTree(x.recent[0])
		x.recent = slices.Delete(x.recent, 0, 1)
	}
}

// Close tells the index that the editor closed a file. The index then uses the content on disk, and
// removes a file that is not on disk. If a large file was edited, Close moves its outline to the
// content on disk; call Refresh to parse it.
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

// moveBack moves the outline of a large file to its content on disk. It returns false if the file
// is small, or if the content on disk was already parsed. The caller holds editing.
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
	x.add(&entry{path: path, File: before.Moved(outline.NewEdit(o.text, text)), modified: modified, stale: true, hash: hash})
	return true
}

// Release frees the memory of syntax trees and parsers when another index replaces this index. The
// outlines remain, but no longer follow edits.
func (x *Index) Release() {
	x.editing.Lock()
	x.released = true
	x.dropTrees()
	x.editing.Unlock()
	x.small.rest()
}

// refreshOpen records the new text on disk of an open file. It returns false if the file is not
// open.
func (x *Index) refreshOpen(path string) bool {
	x.editing.Lock()
	defer x.editing.Unlock()
	o := x.open[path]
	if o != nil {
		o.base, o.modified, _ = x.text(path)
	}
	return o != nil
}
