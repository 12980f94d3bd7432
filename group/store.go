package group

import (
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
)

// storeFormat is a part of each key: a change to what is kept changes it.
const storeFormat = "diffprof group 1"

// mostKept bounds what is read of a kept file, in bytes of JSON.
const mostKept = 1 << 30

// A store keeps what comparisons said, in a folder. The zero folder keeps nothing. It is
// safe for concurrent use, by programs as well: a file is whole before it has its name.
type store struct {
	folder, fingerprint string
	// shared are the files that decide every comparison.
	shared []string

	mu sync.Mutex
	// contents are the hashes of the files that members name.
	contents map[string]*content
}

// A content is the hash of a file, once it is known.
type content struct {
	once sync.Once
	sum  []byte
	err  error
}

// openStore makes the folder if need be.
func openStore(o Options) (*store, error) {
	if o.Cache != "" {
		if err := os.MkdirAll(o.Cache, 0o777); err != nil {
			return nil, fmt.Errorf("keeping comparisons: %w", err)
		}
	}
	c := &o.Compare
	shared := slices.Concat([]string{c.PowerProfile}, c.Classpath, c.Manifests, c.Sources)
	return &store{folder: o.Cache, fingerprint: o.Fingerprint, shared: shared, contents: make(map[string]*content)}, nil
}

// load returns what is kept of a pair, nil if nothing is. A file that cannot be read again
// counts as none: the comparison is made anew.
func (s *store) load(a, b Member) (*pair, error) {
	if s.folder == "" {
		return nil, nil
	}
	name, err := s.name(a, b)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a kept comparison: %w", err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil
	}
	var p pair
	if err := json.NewDecoder(io.LimitReader(packed, mostKept)).Decode(&p); err != nil {
		return nil, nil
	}
	return &p, nil
}

// save keeps what a comparison said.
func (s *store) save(a, b Member, p *pair) (err error) {
	if s.folder == "" {
		return nil
	}
	name, err := s.name(a, b)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("keeping a comparison: %w", err)
		}
	}()
	f, err := os.CreateTemp(s.folder, "*.part")
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(f)
	err = errors.Join(json.NewEncoder(packed).Encode(p), packed.Close(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// name is the file that keeps a pair: it follows from the contents of all files that
// decide what the comparison says.
func (s *store) name(a, b Member) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d:%s\n", storeFormat, len(s.fingerprint), s.fingerprint)
	for _, path := range s.shared {
		if err := s.add(h, path); err != nil {
			return "", err
		}
	}
	for _, m := range []Member{a, b} {
		flows := m.Flows
		if flows == "" {
			// What lies beside a recording under this name is read with it.
			if _, err := os.Stat(m.Path + ".flows"); err == nil {
				flows = m.Path + ".flows"
			}
		}
		fmt.Fprintf(h, "process %d:%s\n", len(m.Process), m.Process)
		for _, path := range []string{m.Path, m.Mapping, flows} {
			if err := s.add(h, path); err != nil {
				return "", err
			}
		}
	}
	return filepath.Join(s.folder, hex.EncodeToString(h.Sum(nil)[:16])+".json.gz"), nil
}

// add adds the content of a file to a hash; no path adds that there is none.
func (s *store) add(h hash.Hash, path string) error {
	if path == "" {
		h.Write([]byte("none\n"))
		return nil
	}
	s.mu.Lock()
	of := s.contents[path]
	if of == nil {
		of = new(content)
		s.contents[path] = of
	}
	s.mu.Unlock()
	of.once.Do(func() { of.sum, of.err = sum(path) })
	h.Write(of.sum)
	return of.err
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
		of := sha256.New()
		if _, err := io.Copy(of, f); err != nil {
			return err
		}
		fmt.Fprintf(h, "%d:%s\n", len(inner), filepath.ToSlash(inner))
		h.Write(of.Sum(nil))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
