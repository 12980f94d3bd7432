package group

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/diffprof/diffprof/analysis"
)

// storeFormat is a part of each key. Change it when the stored data changes.
const storeFormat = "diffprof group 2"

// maxKept is the maximum size of a stored result, in bytes of JSON.
const maxKept = 1 << 30

// A store stores results of comparisons in a folder. Without a folder it stores nothing. It is safe
// for concurrent use, also by several programs: a file is complete before it gets its name.
type store struct {
	folder, fingerprint string
	// shared are the files that all comparisons depend on.
	shared []string
	// keep reads the runs of members that are not files but runs in the history.
	keep analysis.Store

	mu sync.Mutex
	// contents are the hashes of the files and kept runs of members.
	contents map[string]*content
}

// A content is the hash of a file, or of a run in the history (a kept run). It is computed once.
type content struct {
	once sync.Once
	sum  []byte
	err  error
}

// openStore returns the store for the options. The store creates its folder when it stores the
// first result.
func openStore(o Options) *store {
	c := o.Compare
	c.Subject.Path, c.Reference.Path, c.Subject.Repeats, c.Reference.Repeats = "", "", nil, nil
	return &store{folder: o.Cache, fingerprint: o.Fingerprint, shared: slices.Concat(c.Files(), c.Sources), keep: c.Store, contents: make(map[string]*content)}
}

// load reads the stored result from the file named place. It returns false if there is no readable
// file, so that the comparison is repeated.
func (s *store) load(place string) (p *pair, ok bool) {
	if s.folder == "" {
		return nil, false
	}
	f, err := os.Open(filepath.Join(s.folder, place))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		return nil, false
	}
	if err := json.NewDecoder(io.LimitReader(packed, maxKept)).Decode(&p); err != nil || p == nil || !p.whole() {
		return nil, false
	}
	return p, true
}

// save stores the result of a comparison.
func (s *store) save(place string, p *pair) error {
	if s.folder == "" {
		return nil
	}
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.folder, "*.part")
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(f)
	err = errors.Join(json.NewEncoder(packed).Encode(p), packed.Close(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.folder, place))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// place returns the name of the file for the result of a pair. It depends on the contents of all
// files and kept runs that decide the result. swapped reports that b is the subject of the
// comparison.
func (s *store) place(ctx context.Context, a, b Member) (name string, swapped bool, err error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d:%s\n", storeFormat, len(s.fingerprint), s.fingerprint)
	for _, path := range s.shared {
		if err := s.add(ctx, h, path); err != nil {
			return "", false, err
		}
	}
	first, err := s.member(ctx, a)
	if err != nil {
		return "", false, err
	}
	second, err := s.member(ctx, b)
	if err != nil {
		return "", false, err
	}
	if bytes.Compare(first, second) > 0 {
		first, second, swapped = second, first, true
	}
	h.Write(first)
	h.Write(second)
	return hex.EncodeToString(h.Sum(nil)[:16]) + ".json.gz", swapped, nil
}

// member returns a hash of all data of a member that changes results.
func (s *store) member(ctx context.Context, m Member) ([]byte, error) {
	h := sha256.New()
	fmt.Fprintf(h, "process %d:%s\n", len(m.Process), m.Process)
	for _, path := range []string{m.Mapping, m.Flows} {
		if err := s.add(ctx, h, path); err != nil {
			return nil, err
		}
	}
	for _, path := range m.Runs {
		flows := ""
		// A file with this name next to a recording is read together with it.
		if _, err := os.Stat(path + ".flows"); err == nil {
			flows = path + ".flows"
		}
		if err := errors.Join(s.add(ctx, h, path), s.add(ctx, h, flows)); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}

// add adds the content of a file or of a kept run to a hash. For an empty path it adds a mark.
func (s *store) add(ctx context.Context, h hash.Hash, path string) error {
	if path == "" {
		h.Write([]byte("none\n"))
		return nil
	}
	s.mu.Lock()
	entry := s.contents[path]
	if entry == nil {
		entry = new(content)
		s.contents[path] = entry
	}
	s.mu.Unlock()
	entry.once.Do(func() {
		if analysis.NamesStored(path) {
			entry.sum, entry.err = s.keep.Sum(ctx, path)
		} else {
			entry.sum, entry.err = sum(path)
		}
	})
	h.Write(entry.sum)
	return entry.err
}

// sum hashes a file, or the names and contents of the files of a folder.
func sum(path string) ([]byte, error) {
	h := sha256.New()
	err := filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inner, err := filepath.Rel(path, at)
		if err != nil {
			return err
		}
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		defer f.Close()
		hash := sha256.New()
		if _, err := io.Copy(hash, f); err != nil {
			return err
		}
		fmt.Fprintf(h, "%d:%s\n", len(inner), filepath.ToSlash(inner))
		h.Write(hash.Sum(nil))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
