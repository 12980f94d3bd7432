package classes

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	stdpath "path"
	"path/filepath"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/internal/syntax"
)

// Limits bound the cost of reading malicious files. A field of 0 selects its default, which is far
// above the needs of any real app.
type Limits struct {
	// TotalBytes bounds the decompressed size of all class and dex files of one call. The default
	// is 4 GiB.
	TotalBytes int64
	// EntryBytes bounds the decompressed size of one class or dex file, because the file is held in
	// memory. The default is 256 MiB.
	EntryBytes int64
	// Classes bounds the classes of one call. The default is 4 million.
	Classes int
}

func (l Limits) orDefaults() Limits {
	if l.TotalBytes <= 0 {
		l.TotalBytes = 4 << 30
	}
	if l.EntryBytes <= 0 {
		l.EntryBytes = 256 << 20
	}
	if l.Classes <= 0 {
		l.Classes = 4_000_000
	}
	return l
}

var errUnknownFormat = errors.New("neither a class file, nor a dex file, nor a zip archive (jar, apk, aar, jmod), nor a folder")

// ReadPath reads the classes of the file or folder at path. A folder is read recursively, in
// lexical order. It skips symbolic links in the folder, and files without classes. [Read] states
// which entries of an archive are read.
//
// damaged lists the files and entries whose classes could not be read completely. The result has
// the classes before the damage. err is not nil if a path cannot be read, if a single file has no
// known format, if a limit was exceeded, or if ctx is done. In this case, no classes are returned.
// Errors of syntax and limits are of type [*syntax.Error]. For an entry of an archive, the file is
// archive!/entry, and the offset counts from the start of the decompressed entry.
func ReadPath(ctx context.Context, path string, limits Limits) (classes []Class, damaged []*syntax.Error, err error) {
	r := reader{ctx: ctx, limits: limits.orDefaults()}
	if err := r.walk(path); err != nil {
		return nil, nil, err
	}
	return r.classes, r.damaged, nil
}

// walk reads the file or the folder at path.
func (r *reader) walk(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		// With the separator, the walk follows path if it is a link.
		path = filepath.Clean(path) + string(filepath.Separator)
	}
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if name != path && !entry.Type().IsRegular() {
			return nil
		}
		known, err := r.readFile(name)
		if err == nil && !known && name == path {
			return &syntax.Error{File: name, Offset: -1, Err: errUnknownFormat}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading classes: %w", err)
	}
	return nil
}

// Read reads one open file with size bytes of content as [ReadPath] does. Errors use name as the
// name of the file. In an archive, Read reads every entry whose content is a class or dex file,
// regardless of its path. It does not open nested archives, except the classes.jar of an aar.
func Read(name string, content io.ReaderAt, size int64, limits Limits) (classes []Class, damaged []*syntax.Error, err error) {
	r := reader{ctx: context.Background(), limits: limits.orDefaults()}
	known, err := r.read(name, content, size)
	if err == nil && !known {
		err = &syntax.Error{File: name, Offset: -1, Err: errUnknownFormat}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading classes: %w", err)
	}
	return r.classes, r.damaged, nil
}

// Visit calls visit with the content of each class or dex file that [ReadPath] would read. It skips
// class files for whose base name wants returns false.
func Visit(ctx context.Context, path string, limits Limits, wants func(base string) bool, visit func(data []byte)) error {
	r := reader{ctx: ctx, limits: limits.orDefaults(), wants: wants, visit: visit}
	return r.walk(path)
}

// A reader collects the classes of one call.
type reader struct {
	ctx     context.Context
	limits  Limits
	taken   int64 // taken is the number of bytes of class and dex files so far.
	classes []Class
	damaged []*syntax.Error
	// wants and visit are the arguments of Visit. They are nil for other calls.
	wants func(base string) bool
	visit func(data []byte)
}

func (r *reader) readFile(name string) (known bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	return r.read(name, f, info.Size())
}

// A format is a kind of file, recognized by its first bytes.
type format int

const (
	unknown format = iota
	classFile
	dexFile
	archive
)

// sniffLen is the number of bytes that sniff needs.
const sniffLen = 8

func sniff(head []byte) format {
	if _, ok := dex.Version(head); ok {
		return dexFile
	}
	switch {
	// A fat Mach-O file begins with the same four bytes. In a class file, a version of at least 45
	// follows. In a Mach-O file, the number there is smaller.
	case len(head) >= 8 && binary.BigEndian.Uint32(head) == classMagic && binary.BigEndian.Uint16(head[6:]) >= 45:
		return classFile
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return archive
	case bytes.HasPrefix(head, []byte("JM\x01\x00")): // A jmod is four bytes followed by a zip archive.
		return archive
	}
	return unknown
}

// read reads one file. It returns an error only if the whole call must end.
func (r *reader) read(name string, content io.ReaderAt, size int64) (known bool, err error) {
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	head := make([]byte, min(size, sniffLen))
	if n, err := content.ReadAt(head, 0); n < len(head) {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	switch kind := sniff(head); kind {
	case unknown:
		return false, nil
	case archive:
		return true, r.readArchive(name, content, size, true)
	default:
		return true, r.readClasses(name, kind, nil, io.NewSectionReader(content, 0, size))
	}
}

// readArchive reads the entries of a zip archive. Only the outermost archive may be an aar that
// contains a jar, so there are no deeper levels.
func (r *reader) readArchive(name string, content io.ReaderAt, size int64, outermost bool) error {
	z, err := zip.NewReader(content, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // Entries are never written to their paths, so such a path is harmless.
		r.damaged = append(r.damaged, &syntax.Error{File: name, Offset: size, Err: err})
		return nil
	}
	for _, entry := range z.File {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if entry.FileInfo().IsDir() {
			continue
		}
		if err := r.readEntry(name+"!/"+entry.Name, entry, outermost); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readEntry(name string, entry *zip.File, outermost bool) error {
	damage := func(offset int, err error) {
		r.damaged = append(r.damaged, &syntax.Error{File: name, Offset: int64(offset), Err: err})
	}
	content, err := entry.Open()
	if err != nil {
		damage(0, err)
		return nil
	}
	defer content.Close()
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(content, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		damage(n, err)
		return nil
	}
	head = head[:n]
	switch kind := sniff(head); {
	case kind == classFile, kind == dexFile:
		return r.readClasses(name, kind, head, content)
	case kind == archive && outermost && entry.Name == "classes.jar":
		data, err := r.readAll(name, head, content)
		if err != nil || data == nil {
			return err
		}
		return r.readArchive(name, bytes.NewReader(data), int64(len(data)), false)
	}
	return nil
}

// readAll returns head followed by the rest of content. If the data is damaged, it records the
// damage and returns nil. Exceeding a limit is an error.
func (r *reader) readAll(name string, head []byte, content io.Reader) ([]byte, error) {
	limit := min(r.limits.EntryBytes, r.limits.TotalBytes-r.taken)
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), content), limit+1))
	r.taken += int64(len(data))
	switch {
	case int64(len(data)) > r.limits.EntryBytes:
		return nil, &syntax.Error{File: name, Offset: limit, Err: fmt.Errorf("larger than the limit of %d bytes for one file", r.limits.EntryBytes)}
	case int64(len(data)) > limit:
		return nil, &syntax.Error{File: name, Offset: limit, Err: fmt.Errorf("larger than the limit of %d bytes for all files", r.limits.TotalBytes)}
	case err != nil:
		r.damaged = append(r.damaged, &syntax.Error{File: name, Offset: int64(len(data)), Err: err})
		return nil, nil
	}
	return data, nil
}

// readClasses reads a class or dex file. head is the part that was already read.
func (r *reader) readClasses(name string, kind format, head []byte, content io.Reader) error {
	if r.visit != nil && kind == classFile && !r.wants(stdpath.Base(filepath.ToSlash(name))) {
		return nil
	}
	data, err := r.readAll(name, head, content)
	if err != nil || data == nil {
		return err
	}
	if r.visit != nil {
		r.visit(data)
		return nil
	}
	var tooMany error
	add := func(class Class) error {
		if len(r.classes) >= r.limits.Classes {
			tooMany = &syntax.Error{File: name, Offset: -1, Err: fmt.Errorf("more than the limit of %d classes", r.limits.Classes)}
			return tooMany
		}
		r.classes = append(r.classes, class)
		return nil
	}
	if kind == dexFile {
		err = readDex(name, data, add)
	} else {
		var class Class
		if class, err = readClassFile(name, data); err == nil && class.Name != "" {
			err = add(class)
		}
	}
	if tooMany != nil {
		return tooMany
	}
	if damage := (*syntax.Error)(nil); errors.As(err, &damage) {
		r.damaged = append(r.damaged, damage)
	}
	return nil
}
