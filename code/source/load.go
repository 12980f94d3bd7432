package source

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/code/source/internal/store"
	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// Load reads all files below the roots, several in parallel. If progress is not nil, it is called
// with the number of files read so far and the total number of files, from one goroutine at a time.
// Files that cannot be read or are too large are skipped with a warning. A later call of Load also
// drops files that no longer exist. Open files keep their content. Load fails only if ctx ends.
func (x *Index) Load(ctx context.Context, progress func(done, total int)) ([]Warning, error) {
	files, warnings, err := x.walk(ctx)
	if err != nil {
		return nil, err
	}
	kept := store.Open(x.kept(), x.roots)
	results := make([]*entry, len(files))
	problems := make([]error, len(files))
	var group sync.WaitGroup
	var mu sync.Mutex
	next, done := 0, 0
	for range min(x.workers, len(files)) {
		group.Go(func() {
			parser := syntaxtree.NewParser()
			defer parser.Close()
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(files) || ctx.Err() != nil {
					return
				}
				results[i], problems[i] = x.read(ctx, parser, kept, files[i].path)
				mu.Lock()
				if done++; progress != nil {
					progress(done, len(files))
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, err := range problems {
		if err != nil {
			warnings = append(warnings, Warning{Code: "source-unread", Message: fmt.Sprintf("%s: %v", files[i].path, err)})
		}
	}
	x.replaceAll(results)
	if x.kept() != "" {
		if err := kept.Save(); err != nil {
			warnings = append(warnings, Warning{Code: "sources-not-kept", Message: err.Error()})
		}
	}
	return warnings, nil
}

// walk finds the files below the roots. Only one walk runs at a time.
func (x *Index) walk(ctx context.Context) ([]sourceFile, []Warning, error) {
	x.walking.Lock()
	defer x.walking.Unlock()
	err := x.walker.walk(ctx, x.roots)
	return x.walker.files, x.walker.warnings, err
}

// Changes returns the sorted paths of files that were written, created or removed since the index
// last read them. [Index.Refresh] reads them again. It fails only if ctx ends.
func (x *Index) Changes(ctx context.Context) ([]string, error) {
	files, _, err := x.walk(ctx)
	if err != nil {
		return nil, err
	}
	onDisk := make(map[string]time.Time, len(files))
	for _, f := range files {
		onDisk[f.path] = f.modified
	}
	x.editing.Lock()
	defer x.editing.Unlock()
	x.mu.RLock()
	defer x.mu.RUnlock()
	var changed []string
	for path, modified := range onDisk {
		if e := x.files[path]; e == nil || !modified.Equal(x.written(e)) {
			changed = append(changed, path)
		}
	}
	for path, e := range x.files {
		// An open file may never have been on disk.
		if _, ok := onDisk[path]; !ok && !x.written(e).IsZero() {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// written returns the time at which a file was last written, as far as the index knows. The caller
// holds editing and mu.
func (x *Index) written(e *entry) time.Time {
	if o := x.open[e.path]; o != nil {
		return o.modified
	}
	return e.modified
}

// errTooLarge is returned for a file larger than MaxFile.
var errTooLarge = errors.New("file is too large")

// read returns the entry of a file on disk. It does not parse the file in two cases: if a known
// entry has the same text, or if the store has an outline of the text. The store and the entries
// may be nil.
func (x *Index) read(ctx context.Context, parser *syntaxtree.Parser, kept *store.Store, path string, known ...*entry) (*entry, error) {
	text, modified, err := x.text(path)
	if err != nil {
		return nil, err
	}
	hash := maphash.Bytes(x.seed, text)
	for _, k := range known {
		if k != nil && k.hash == hash && !k.stale {
			return &entry{path: path, File: k.File, modified: modified, hash: hash}, nil
		}
	}
	file, err := kept.Outline(filepath.Base(path), text, func() (*outline.File, error) {
		lang, _ := language(path)
		return outline.Parse(ctx, parser, lang, filepath.Base(path), text)
	})
	if err != nil {
		return nil, err
	}
	return &entry{path: path, File: file, modified: modified, hash: hash}, nil
}

// text returns the content of a regular file on disk. It reads at most MaxFile bytes, whatever size
// the file system reports.
func (x *Index) text(path string) ([]byte, time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, errors.New("not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, x.maxFile+1))
	if err != nil {
		return nil, time.Time{}, err
	}
	if int64(len(text)) > x.maxFile {
		return nil, time.Time{}, errTooLarge
	}
	return text, info.ModTime(), nil
}

// language returns the language of a source file by its name. It returns false if the file is
// neither Java nor Kotlin.
func language(path string) (syntaxtree.Language, bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".java":
		return syntaxtree.Java, true
	case ".kt", ".kts":
		return syntaxtree.Kotlin, true
	}
	return 0, false
}
