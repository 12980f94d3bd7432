package apk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
)

// An Edit replaces the content of an entry, or adds an entry. A replaced entry keeps its
// compression method. A new entry is compressed, except for code if classes.dex is not compressed:
// an app whose manifest sets android:useEmbeddedDex runs its code from the archive.
type Edit struct {
	Name string
	Data []byte
}

const (
	// pageSize is the alignment of native libraries. fileSize is the alignment of other
	// stored entries.
	pageSize, fileSize = 16 << 10, 4
	// alignmentExtra is the extra field that apksigner writes to align entries: the alignment, and
	// then zeros.
	alignmentExtra = 0xd935
	// level is the compression level. Higher levels would save 3 % of a DEX file, but take longer
	// than all other work.
	level = 5
)

// profiles are the entries of the baseline profile. It is valid only for code with certain
// checksums.
var profiles = []string{"assets/dexopt/baseline.prof", "assets/dexopt/baseline.profm"}

// stamp is the entry with the digest of an app store's certificate.
const stamp = "stamp-cert-sha256"

// Write makes a copy of the archive, applies the edits, signs it with key, and writes it to w. minSDK is the lowest API level
// of the app, or 0 if unknown. Write returns the names of the entries that it left out. It checks
// ctx before each entry.
func (a *Archive) Write(ctx context.Context, w io.Writer, edits []Edit, key *Key, minSDK int) (dropped []string, err error) {
	c, err := a.plan(edits)
	if err != nil {
		return nil, err
	}
	if err := c.compress(ctx); err != nil {
		return nil, err
	}
	if minSDK < sdkScheme2 {
		if err := c.signManifest(key, minSDK); err != nil {
			return nil, err
		}
	}
	c.out = newDigester(w)
	for i := range c.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.put(&c.files[i]); err != nil {
			return nil, err
		}
	}
	return c.dropped, c.finish(key, minSDK)
}

// A file is an entry of the copy, with content from the archive or with new content.
type file struct {
	name   string
	method uint16
	// entry is the original entry, or nil for a new file.
	entry *Entry
	// If changed is set, data is the new content, and packed is the new content as stored.
	changed      bool
	data, packed []byte
}

// A copying has the state of writing a copy.
type copying struct {
	archive *Archive
	files   []file
	dropped []string
	out     *digester
	// directory is the central directory so far. It has count entries.
	directory bytes.Buffer
	count     int
}

// plan decides which entries the copy has.
func (a *Archive) plan(edits []Edit) (*copying, error) {
	c := &copying{archive: a}
	changes := make(map[string]*Edit)
	code := false
	for i := range edits {
		e := &edits[i]
		if fault := badName(e.Name); fault != "" || strings.HasSuffix(e.Name, "/") {
			return nil, fmt.Errorf("new entry %q: %s", e.Name, cmp.Or(fault, "a folder"))
		}
		if changes[e.Name] != nil {
			return nil, fmt.Errorf("new entry %q: given twice", e.Name)
		}
		changes[e.Name] = e
		code = code || isCode(e.Name)
	}
	for i := range a.entries {
		e := &a.entries[i]
		change := changes[e.Name]
		if change == nil && (isSignature(e.Name) || e.Name == stamp || code && isProfile(e.Name)) {
			c.dropped = append(c.dropped, e.Name)
			continue
		}
		f := file{name: e.Name, method: e.Method, entry: e}
		if change != nil {
			f.changed, f.data = true, change.Data
			delete(changes, e.Name)
		}
		c.files = append(c.files, f)
	}
	ofCode := uint16(Deflated)
	if first := a.Entry(DexName(0)); first != nil {
		ofCode = first.Method
	}
	for _, e := range edits {
		if changes[e.Name] == nil {
			continue
		}
		method := uint16(Deflated)
		if isCode(e.Name) {
			method = ofCode
		}
		c.files = append(c.files, file{name: e.Name, method: method, changed: true, data: e.Data})
	}
	return c, nil
}

// isCode reports whether an entry has code that Android loads.
func isCode(name string) bool {
	return strings.HasPrefix(name, "classes") && strings.HasSuffix(name, ".dex")
}

// isSignature reports whether an entry belongs to a scheme 1 signature.
func isSignature(name string) bool {
	base, ok := strings.CutPrefix(strings.ToUpper(name), "META-INF/")
	if !ok || strings.Contains(base, "/") {
		return false
	}
	switch filepath.Ext(base) {
	case ".SF", ".RSA", ".DSA", ".EC":
		return true
	}
	return base == "MANIFEST.MF" || strings.HasPrefix(base, "SIG-")
}

// isProfile reports whether an entry belongs to the baseline profile.
func isProfile(name string) bool { return name == profiles[0] || name == profiles[1] }

// compress compresses all new content, in parallel.
func (c *copying) compress(ctx context.Context) error {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	errs := make([]error, len(c.files))
	for i := range c.files {
		f := &c.files[i]
		if !f.changed {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if errs[i] = ctx.Err(); errs[i] == nil {
				errs[i] = f.compress()
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (f *file) compress() error {
	if f.packed = f.data; f.method == Stored {
		return nil
	}
	var b bytes.Buffer
	b.Grow(len(f.data) / 2)
	z, err := flate.NewWriter(&b, level)
	if err == nil {
		_, err = z.Write(f.data)
	}
	if err == nil {
		err = z.Close()
	}
	f.packed = b.Bytes()
	return err
}

// put writes an entry: its local header and its bytes. It also adds the entry to the central
// directory.
func (c *copying) put(f *file) error {
	central := make([]byte, centralLen, centralLen+len(f.name))
	if f.entry != nil {
		central = bytes.Clone(f.entry.central)
	} else {
		binary.LittleEndian.PutUint32(central, centralSignature)
		binary.LittleEndian.PutUint16(central[4:], 20)
		binary.LittleEndian.PutUint16(central[6:], 20)
		binary.LittleEndian.PutUint16(central[10:], f.method)
		binary.LittleEndian.PutUint16(central[14:], 1<<5|1) // 1 January 1980
		binary.LittleEndian.PutUint16(central[28:], uint16(len(f.name)))
		central = append(central, f.name...)
	}
	if f.changed {
		binary.LittleEndian.PutUint32(central[16:], crc32.ChecksumIEEE(f.data))
		binary.LittleEndian.PutUint32(central[20:], uint32(len(f.packed)))
		binary.LittleEndian.PutUint32(central[24:], uint32(len(f.data)))
	}
	// The local header has the sizes, so no data descriptor follows the bytes.
	flags := binary.LittleEndian.Uint16(central[8:]) &^ flagDescriptor
	binary.LittleEndian.PutUint16(central[8:], flags)
	if c.out.n > maxArchive {
		return fail(f.name, -1, "exclude packages so that less code is added", "the copy is larger than an APK can be")
	}
	binary.LittleEndian.PutUint32(central[42:], uint32(c.out.n))
	extra, err := c.extra(f)
	if err != nil {
		return err
	}
	head := make([]byte, localLen, localLen+len(f.name)+len(extra))
	binary.LittleEndian.PutUint32(head, localSignature)
	copy(head[4:26], central[6:28]) // the fields from "version needed" to the size
	binary.LittleEndian.PutUint16(head[26:], uint16(len(f.name)))
	binary.LittleEndian.PutUint16(head[28:], uint16(len(extra)))
	head = append(append(head, f.name...), extra...)
	if _, err := c.out.Write(head); err != nil {
		return err
	}
	if f.changed {
		_, err = c.out.Write(f.packed)
	} else {
		_, err = io.Copy(c.out, c.archive.stored(f.entry))
	}
	c.directory.Write(central)
	c.count++
	return err
}

// extra returns the extra fields of a local header: the original ones, and one that aligns the
// bytes of a stored entry.
func (c *copying) extra(f *file) ([]byte, error) {
	var extra []byte
	if f.entry != nil {
		e := f.entry
		old := make([]byte, e.data-e.local-localLen-int64(len(e.Name)))
		if err := c.archive.read(old, e.data-int64(len(old))); err != nil {
			return nil, err
		}
		extra = withoutPadding(old)
	}
	align := int64(fileSize)
	if strings.HasSuffix(f.name, ".so") {
		align = pageSize
	}
	if f.method != Stored {
		return extra, nil
	}
	// The field begins with its kind, its length and the alignment. Zeros follow.
	const field = 6
	at := c.out.n + localLen + int64(len(f.name)) + int64(len(extra))
	if at%align == 0 {
		return extra, nil
	}
	space := (align - (at+field)%align) % align
	if len(extra)+field+int(space) > 0xffff {
		// The original extra fields leave no room for this field. They are dropped, because the
		// alignment is more important.
		extra = nil
		space = (align - (at-int64(len(extra))+field)%align) % align
	}
	extra = binary.LittleEndian.AppendUint16(extra, alignmentExtra)
	extra = binary.LittleEndian.AppendUint16(extra, uint16(2+space))
	extra = binary.LittleEndian.AppendUint16(extra, uint16(align))
	return append(extra, make([]byte, space)...), nil
}

// withoutPadding returns extra fields without alignment fields, and without the zeros that zipalign
// adds.
func withoutPadding(extra []byte) []byte {
	var kept []byte
	for len(extra) >= 4 {
		kind, n := binary.LittleEndian.Uint16(extra), 4+int(binary.LittleEndian.Uint16(extra[2:]))
		if kind == 0 || n > len(extra) {
			break
		}
		if kind != alignmentExtra {
			kept = append(kept, extra[:n]...)
		}
		extra = extra[n:]
	}
	return kept
}

// finish writes the signing block, the central directory and the end record.
func (c *copying) finish(key *Key, minSDK int) error {
	start := c.out.n
	a := c.archive
	end := make([]byte, endLen, endLen+len(a.comment))
	end = append(end, a.comment...)
	binary.LittleEndian.PutUint32(end, endSignature)
	if c.count >= 0xffff || start+int64(c.directory.Len()) > maxArchive {
		return fail("", -1, "exclude packages so that less code is added", "the copy is larger than an APK can be")
	}
	binary.LittleEndian.PutUint16(end[8:], uint16(c.count))
	binary.LittleEndian.PutUint16(end[10:], uint16(c.count))
	binary.LittleEndian.PutUint32(end[12:], uint32(c.directory.Len()))
	// In the signed end record, the offset of the directory must be that of the signing block.
	binary.LittleEndian.PutUint32(end[16:], uint32(start))
	binary.LittleEndian.PutUint16(end[20:], uint16(len(a.comment)))
	block, err := signingBlock(key, c.out.digest(c.directory.Bytes(), end), minSDK)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(end[16:], uint32(start+int64(len(block))))
	for _, part := range [][]byte{block, c.directory.Bytes(), end} {
		if _, err := c.out.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a file by calling write. It creates or replaces the file at path only if write
// succeeds.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(name, path)
}
