// Package store caches outlines in the user's cache folder, so that the sources of a workspace are
// not parsed each time the program starts.
//
// There is one file for each workspace and each build of the program. An outline is found by a hash
// of the source's name and content, so the outline of an edited source is not found. Each outline
// has a checksum; damaged outlines and truncated files are ignored. A file is written under a
// temporary name and then renamed, so readers see either the old or the new file. All files
// together have at most [MaxSize] bytes. If there are more, the least recently used files are
// removed.
//
// The store only saves time. Except in Save, problems with its files are not errors.
package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// MaxSize is the maximum total size of the files in a folder, in bytes. The outline of a source
// file takes about four thousand bytes.
const MaxSize = 512 << 20

// A key is a hash of a source's name and content.
type key [16]byte

func keyOf(name string, text []byte) key {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s\n", len(name), name)
	h.Write(text)
	return key(h.Sum(nil)[:len(key{})])
}

// A Store has the outlines of one workspace. It is safe for concurrent use. A nil Store is
// empty and keeps nothing.
type Store struct {
	path string
	// kept has the encoded outlines that were read from the file.
	kept map[key][]byte

	mu sync.Mutex
	// used has the encoded outlines that were found or added since the file was read.
	used map[key][]byte
	// added reports whether used has outlines that are not in the file.
	added bool
}

// build returns a hash of the program's executable, because two builds may make different outlines
// of the same text.
var build = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return string(h.Sum(nil)), nil
})

// Open returns the store of the workspace with the given roots. It returns nil if folder is
// empty, or if the program cannot read its own executable.
func Open(folder string, roots []string) *Store {
	version, err := build()
	if folder == "" || err != nil {
		return nil
	}
	name := sha256.Sum256([]byte(version + strings.Join(roots, "\x00")))
	s := &Store{path: filepath.Join(folder, hex.EncodeToString(name[:12])+suffix), used: make(map[key][]byte)}
	if info, err := os.Stat(s.path); err == nil && info.Size() <= MaxSize {
		if data, err := os.ReadFile(s.path); err == nil {
			s.kept = read(data)
		}
	}
	return s
}

const (
	suffix = ".outlines"
	// head identifies the layout of a file.
	head = "diffprof outlines 1\n"
	// entryHead is the size of the header of an outline: key, checksum and length.
	entryHead = len(key{}) + 8
)

func read(data []byte) map[key][]byte {
	kept := make(map[key][]byte)
	if !strings.HasPrefix(string(data[:min(len(head), len(data))]), head) {
		return kept
	}
	for data = data[len(head):]; len(data) >= entryHead; {
		key, sum, size := key(data), binary.LittleEndian.Uint32(data[len(key{}):]), binary.LittleEndian.Uint32(data[len(key{})+4:])
		data = data[entryHead:]
		if uint64(size) > uint64(len(data)) {
			break
		}
		if coded := data[:size:size]; checksum(key, coded) == sum {
			kept[key] = coded
		}
		data = data[size:]
	}
	return kept
}

func checksum(key key, coded []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key[:]), crc32.IEEETable, coded)
}

// Outline returns the stored outline of a source. If there is none, it calls parse and stores the
// result. name is the source's name without its folder. Outline fails only if parse fails.
func (s *Store) Outline(name string, text []byte, parse func() (*outline.File, error)) (*outline.File, error) {
	if s == nil {
		return parse()
	}
	key := keyOf(name, text)
	if coded := s.kept[key]; coded != nil {
		if file, err := outline.Decoded(coded); err == nil {
			s.use(key, coded, false)
			return file, nil
		}
	}
	file, err := parse()
	if err == nil {
		s.use(key, file.Encoded(), true)
	}
	return file, err
}

func (s *Store) use(key key, coded []byte, added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[key] = coded
	s.added = s.added || added
}

// Save writes the outlines that were found or added, and drops all others. If no outline was added,
// it only marks the file as recently used.
func (s *Store) Save() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.added {
		now := time.Now()
		_ = os.Chtimes(s.path, now, now)
		return nil
	}
	if err := s.write(); err != nil {
		return fmt.Errorf("saving the source cache: %w", err)
	}
	s.added = false
	return bound(filepath.Dir(s.path), MaxSize)
}

func (s *Store) write() (err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), "*"+suffix+".new")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	_, _ = w.WriteString(head) // Flush returns the first error of all writes.
	keys := make([]key, 0, len(s.used))
	for key := range s.used {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b key) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		coded := s.used[key]
		entry := binary.LittleEndian.AppendUint32(key[:], checksum(key, coded))
		_, _ = w.Write(binary.LittleEndian.AppendUint32(entry, uint32(len(coded))))
		_, _ = w.Write(coded)
	}
	err = w.Flush()
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path)
}

// bound removes the least recently used files of a folder, until the rest has at most `most` bytes.
func bound(folder string, most int64) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var files []os.FileInfo
	for _, entry := range entries {
		// The suffix is also in the names of incompletely written files.
		if !strings.Contains(entry.Name(), suffix) {
			continue
		}
		if info, err := entry.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range files {
		if most -= info.Size(); most < 0 {
			_ = os.Remove(filepath.Join(folder, info.Name()))
		}
	}
	return nil
}
