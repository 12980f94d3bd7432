// Package apk reads Android packages (APK), and writes changed copies of them with a new signature.
//
// [Open] reads the central directory of an archive. It rejects archives that Android's installer or
// another reader could understand differently. It also rejects duplicate names, names that lead out
// of the archive, encrypted entries, entries that overlap, and sizes that compression cannot yield.
// The error is then a [*syntax.Error] with the entry, the offset and advice.
//
// [Archive.Write] writes a copy. An entry without an [Edit] keeps its compression method and its
// stored bytes. Entries that are not compressed are aligned as zipalign does: native libraries to
// 16 KiB, which Android 15 needs for its large pages, and other files to 4 bytes. Three kinds of
// entries are left out:
//
//   - signatures of the old signer;
//   - the stamp of the old store;
//   - if code changes, the baseline profile, which is valid only for the checksums of the old code.
//
// The copy is written in one pass. The digests for the signature are computed at the same time.
// Only [WriteFile] writes files: it writes a temporary file next to the target, and renames it once
// the copy is complete.
//
// # Signatures
//
// A copy gets the signature schemes 2 and 3. If the app runs below API level 24, it also gets
// scheme 1, the signed manifest of JAR files. The key is a [Key]: the user's key ([ReadKey]), or a
// debug key that is made once and kept ([DebugKey]). Android accepts an update of an installed app,
// and splits of an app, only if they have the same signer, so all files of an app need the same
// key. [Archive.Breaks] lists what a new signer breaks.
//
// All functions are safe for concurrent use.
package apk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/diffprof/diffprof/internal/syntax"
)

// Constants of zip archives, with the terms of PKWARE's APPNOTE.
const (
	localSignature   = 0x04034b50
	centralSignature = 0x02014b50
	endSignature     = 0x06054b50

	localLen, centralLen, endLen = 30, 46, 22

	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagStrong     = 1 << 6

	// Stored and Deflated are the compression methods that Android supports. A stored entry is not
	// compressed.
	Stored   = 0
	Deflated = 8
)

const (
	// maxArchive is the maximum size. Larger zip archives need 64-bit records, which Android's
	// installer rejects.
	maxArchive = 1<<32 - 2
	// maxRatio is the maximum compression ratio of deflate: two bits can represent 258 bytes.
	maxRatio = 1032
	// maxEntry is the maximum size of an entry that is read into memory.
	maxEntry = 512 << 20
	// maxComment is the maximum length of an archive's comment.
	maxComment = 1<<16 - 1
)

// An Entry is a file in an archive.
type Entry struct {
	Name string
	// Method is Stored or Deflated.
	Method uint16
	// CRC is the checksum of the content. Size is its length, and Packed its stored length.
	CRC          uint32
	Size, Packed int64

	// central is the entry's record in the central directory. offset is where that record begins.
	central []byte
	offset  int64
	// local is the offset of the local header. data is the offset of the stored bytes.
	local, data int64
}

// An Archive is an opened APK.
type Archive struct {
	content io.ReaderAt
	size    int64
	entries []Entry
	index   map[string]int
	// comment is the comment at the end of the archive.
	comment []byte
}

// Entries returns the entries in the order of the archive. The caller must not modify them.
func (a *Archive) Entries() []Entry { return a.entries }

// Entry returns the entry with a name, or nil if the archive has no such entry.
func (a *Archive) Entry(name string) *Entry {
	if i, ok := a.index[name]; ok {
		return &a.entries[i]
	}
	return nil
}

// Dex returns the names of the entries with code, in the order in which Android loads them:
// classes.dex, classes2.dex and so on, up to the first missing number.
func (a *Archive) Dex() []string {
	var names []string
	for a.Entry(DexName(len(names))) != nil {
		names = append(names, DexName(len(names)))
	}
	return names
}

// DexName returns the name of the DEX file with index i. The first index is 0.
func DexName(i int) string {
	if i == 0 {
		return "classes.dex"
	}
	return fmt.Sprintf("classes%d.dex", i+1)
}

const (
	adviceAgain = "the file is damaged or cut short: build or download it again"
	adviceBuild = "name an APK as the Android build tools write it"
)

// fail returns an error at an offset of the archive.
func fail(entry string, offset int64, advice, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if entry != "" {
		err = fmt.Errorf("entry %q: %w", shorten(entry), err)
	}
	return &syntax.Error{Format: "APK", Offset: offset, Err: err, Hint: advice}
}

// shorten cuts a name for a message.
func shorten(name string) string {
	const most = 120
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}

// Open opens an archive of size bytes. It reads the central directory and the local headers, but no
// content.
func Open(content io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{content: content, size: size, index: make(map[string]int)}
	if size > maxArchive {
		return nil, fail("", -1, adviceBuild, "%d bytes are more than an APK can have", size)
	}
	end, at, err := a.end()
	if err != nil {
		return nil, err
	}
	count := int(binary.LittleEndian.Uint16(end[10:]))
	length, start := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	switch {
	case count == 0xffff || length == 0xffffffff || start == 0xffffffff:
		return nil, fail("", at, adviceBuild, "a zip64 archive, which Android does not install")
	case binary.LittleEndian.Uint32(end[4:]) != 0 || int(binary.LittleEndian.Uint16(end[8:])) != count:
		return nil, fail("", at, adviceBuild, "a part of an archive of several files")
	case start+length != at:
		return nil, fail("", at, adviceAgain, "the directory has offset %d and %d bytes, but ends at %d", start, length, at)
	}
	a.comment = end[endLen:]
	if err := a.directory(start, length, count); err != nil {
		return nil, err
	}
	return a, a.locate(start)
}

// end returns the end record with the comment, and the record's offset.
func (a *Archive) end() ([]byte, int64, error) {
	tail := make([]byte, min(a.size, endLen+maxComment))
	start := a.size - int64(len(tail))
	if err := a.read(tail, start); err != nil {
		return nil, 0, err
	}
	for i := len(tail) - endLen; i >= 0; i-- {
		if binary.LittleEndian.Uint32(tail[i:]) == endSignature && int(binary.LittleEndian.Uint16(tail[i+20:])) == len(tail)-i-endLen {
			return tail[i:], start + int64(i), nil
		}
	}
	return nil, 0, fail("", a.size, adviceAgain, "no end of a zip archive")
}

// read fills p with the bytes from an offset.
func (a *Archive) read(p []byte, offset int64) error {
	if _, err := a.content.ReadAt(p, offset); err != nil && !errors.Is(err, io.EOF) {
		return err
	} else if err != nil && offset+int64(len(p)) > a.size {
		return fail("", a.size, adviceAgain, "%d bytes are missing at the end", offset+int64(len(p))-a.size)
	} else if err != nil {
		// ReadAt may return io.EOF even if it read all bytes up to the end of the content.
		if n, _ := a.content.ReadAt(p, offset); n < len(p) {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}

// directory reads the central directory.
func (a *Archive) directory(start, length int64, count int) error {
	// An entry has at least centralLen bytes, so a wrong count cannot cause a large allocation.
	if int64(count)*centralLen > length {
		return fail("", start, adviceAgain, "%d entries do not fit in a directory of %d bytes", count, length)
	}
	data := make([]byte, length)
	if err := a.read(data, start); err != nil {
		return err
	}
	a.entries = make([]Entry, 0, count)
	for at := start; len(a.entries) < count; {
		rest := data[at-start:]
		if len(rest) < centralLen || binary.LittleEndian.Uint32(rest) != centralSignature {
			return fail("", at, adviceAgain, "the directory has %d of %d entries", len(a.entries), count)
		}
		n := centralLen + int(binary.LittleEndian.Uint16(rest[28:])) + int(binary.LittleEndian.Uint16(rest[30:])) + int(binary.LittleEndian.Uint16(rest[32:]))
		if n > len(rest) {
			return fail("", at, adviceAgain, "an entry of %d bytes goes beyond the directory", n)
		}
		if err := a.add(rest[:n], at); err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

// add checks a record of the central directory and adds its entry.
func (a *Archive) add(central []byte, at int64) error {
	e := Entry{
		Name:    string(central[centralLen:][:binary.LittleEndian.Uint16(central[28:])]),
		Method:  binary.LittleEndian.Uint16(central[10:]),
		CRC:     binary.LittleEndian.Uint32(central[16:]),
		Packed:  int64(binary.LittleEndian.Uint32(central[20:])),
		Size:    int64(binary.LittleEndian.Uint32(central[24:])),
		central: central, offset: at,
		local: int64(binary.LittleEndian.Uint32(central[42:])),
	}
	flags := binary.LittleEndian.Uint16(central[8:])
	fault, advice := badName(e.Name), "another archive inside the file, or an attack: "+adviceBuild
	if fault == "" {
		fault, advice = badSizes(&e, flags)
	}
	if fault != "" {
		return fail(e.Name, at, advice, "%s", fault)
	}
	if _, twice := a.index[e.Name]; twice {
		return fail(e.Name, at, "tools disagree about which of the two counts: "+adviceBuild, "the name occurs twice")
	}
	a.index[e.Name] = len(a.entries)
	a.entries = append(a.entries, e)
	return nil
}

// badName returns what is wrong with an entry's name, or "".
func badName(name string) string {
	clean := strings.TrimSuffix(name, "/")
	switch {
	case clean == "":
		return "the name is empty"
	case !utf8.ValidString(name):
		return "the name is not UTF-8"
	case strings.ContainsAny(name, "\\\x00\n\r"):
		return "the name has a backslash or a control character"
	case path.IsAbs(name), path.Clean(clean) != clean, clean == "..", strings.HasPrefix(clean, "../"):
		return "the name leads out of the archive or is not in its shortest form"
	}
	return ""
}

// badSizes returns what is wrong with an entry's method, flags or sizes, and advice.
func badSizes(e *Entry, flags uint16) (fault, advice string) {
	switch {
	case flags&(flagEncrypted|flagStrong) != 0:
		return "the entry is encrypted", adviceBuild + "; some tools that protect apps set this flag to mislead other tools"
	case e.Method != Stored && e.Method != Deflated:
		return fmt.Sprintf("compression method %d, but Android reads only stored and deflated entries", e.Method), adviceBuild
	case e.Packed == 0xffffffff || e.Size == 0xffffffff || e.local == 0xffffffff:
		return "a zip64 entry, which Android does not install", adviceBuild
	case e.Method == Stored && e.Packed != e.Size:
		return fmt.Sprintf("stored in %d bytes, but %d bytes long", e.Packed, e.Size), adviceAgain
	case e.Method == Deflated && e.Size > maxRatio*e.Packed:
		return fmt.Sprintf("%d bytes cannot yield the stated %d", e.Packed, e.Size), "a zip bomb or a damaged file: " + adviceBuild
	}
	return "", ""
}

// locate reads the local headers, and checks that entries do not overlap. limit is the offset of
// the central directory.
func (a *Archive) locate(limit int64) error {
	order := make([]int, len(a.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return int(a.entries[i].local - a.entries[j].local) })
	free := int64(0)
	var previous string
	for _, i := range order {
		e := &a.entries[i]
		if e.local < free {
			return fail(e.Name, e.local, "a zip bomb or a damaged file: "+adviceBuild, "it overlaps entry %q", shorten(previous))
		}
		if err := a.header(e, limit); err != nil {
			return err
		}
		free, previous = e.data+e.Packed, e.Name
	}
	return nil
}

// header reads an entry's local header and sets e.data.
func (a *Archive) header(e *Entry, limit int64) error {
	if e.local+localLen > limit {
		return fail(e.Name, e.offset, adviceAgain, "its content has offset %d, behind the directory", e.local)
	}
	head := make([]byte, localLen+len(e.Name))
	if err := a.read(head, e.local); err != nil {
		return err
	}
	name := int(binary.LittleEndian.Uint16(head[26:]))
	switch {
	case binary.LittleEndian.Uint32(head) != localSignature:
		return fail(e.Name, e.local, adviceAgain, "no local header")
	case name != len(e.Name) || string(head[localLen:]) != e.Name:
		return fail(e.Name, e.local, adviceBuild, "the local header has another name than the directory")
	case binary.LittleEndian.Uint16(head[8:]) != e.Method:
		return fail(e.Name, e.local, adviceBuild, "the local header has another compression method than the directory")
	}
	e.data = e.local + localLen + int64(name) + int64(binary.LittleEndian.Uint16(head[28:]))
	if e.data+e.Packed > limit {
		return fail(e.Name, e.local, adviceAgain, "%d bytes go beyond the start of the directory", e.data+e.Packed-limit)
	}
	return nil
}
