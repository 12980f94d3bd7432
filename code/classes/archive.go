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

// Limits bounds the work and memory for malicious files. A field that is 0 selects its default,
// which is far above what any real app needs.
type Limits struct {
	// TotalBytes is the maximum decompressed size of all class and DEX files of a call. The default
	// is 4 GiB.
	TotalBytes int64
	// EntryBytes is the maximum decompressed size of a single class or DEX file, which is held in
	// memory. The default is 256 MiB.
	EntryBytes int64
	// Classes is the maximum number of classes of a call. The default is 4 million.
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

// ReadPath reads the classes of the file or folder at path. It reads a folder recursively, in
// lexical order, and skips symbolic links and files without classes in it. [Read] states which
// entries of an archive are read.
//
// damaged lists the files and entries whose classes could not be read completely. The result has
// the classes before the damage. err is not nil if a path cannot be read, if a single file has no
// known format, if a limit was exceeded, or if ctx is done. No classes are returned then. Errors of
// syntax and limits are of type [*syntax.Error]. For an entry of an archive, the file is
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
		// The separator makes the walk follow path if it is a symbolic link.
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

// Read reads an open file of size bytes in the same way as [ReadPath]. Errors use name as the name
// of the file. In an archive, Read reads every entry whose content is a class or DEX file, whatever
// its path. It does not open nested archives, except the classes.jar of an aar.
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

// Visit calls visit with the content of each class or DEX file that [ReadPath] would read. It skips
// class files if wants returns false for their base name.
func Visit(ctx context.Context, path string, limits Limits, wants func(base string) bool, visit func(data []byte)) error {
	r := reader{ctx: ctx, limits: limits.orDefaults(), wants: wants, visit: visit}
	return r.walk(path)
}

// A reader collects the classes of one call of Read, ReadPath or Visit.
type reader struct {
	ctx     context.Context
	limits  Limits
	taken   int64 // The size of the class and DEX files read so far.
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

// sniffLen is the number of bytes of a file that sniff needs.
const sniffLen = 8

func sniff(head []byte) format {
	if _, ok := dex.Version(head); ok {
		return dexFile
	}
	switch {
	// A fat Mach-O file begins with the same four bytes. A number follows: in a class file, a
	// version of at least 45; in a Mach-O file, a smaller number.
	case len(head) >= 8 && binary.BigEndian.Uint32(head) == classMagic && binary.BigEndian.Uint16(head[6:]) >= 45:
		return classFile
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return archive
	case bytes.HasPrefix(head, []byte("JM\x01\x00")): // A jmod is four bytes followed by a zip archive.
		return archive
	}
	return unknown
}

// read reads one file. It returns an error only if the whole call must fail.
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

// readArchive reads the entries of a zip archive. Only the outermost archive may be an aar with a
// jar in it, so archives are not nested deeper.
func (r *reader) readArchive(name string, content io.ReaderAt, size int64, outermost bool) error {
	z, err := zip.NewReader(content, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // An insecure path is harmless, because entries are not written to their paths.
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
// damage and returns nil. It returns an error if a limit is exceeded.
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

// readClasses reads a class or DEX file. head is the part that was already read.
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
