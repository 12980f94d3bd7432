package apk

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A content is an entry of a generated archive.
type content struct {
	name   string
	method uint16
	data   string
}

var library = strings.Repeat("\x7fELF machine code ", 3000)

// small has the entries of a small app.
var small = []content{
	{"AndroidManifest.xml", zip.Deflate, `<manifest xmlns:android="a" package="com.mine" android:sharedUserId="com.shared"><uses-sdk android:minSdkVersion="21"/><permission android:name="com.mine.P" android:protectionLevel="signature|privileged"/></manifest>`},
	{"classes.dex", zip.Deflate, strings.Repeat("dex\n035 code ", 50)},
	{"classes2.dex", zip.Store, "dex\n035 more code"},
	{"res/", zip.Store, ""},
	{"res/raw/a.ogg", zip.Store, "OggS sound"},
	{"lib/arm64-v8a/libmine.so", zip.Store, library},
	{"resources.arsc", zip.Store, "table of resources"},
	{"META-INF/MANIFEST.MF", zip.Deflate, "Manifest-Version: 1.0\n"},
	{"META-INF/CERT.SF", zip.Deflate, "Signature-Version: 1.0\n"},
	{"META-INF/OLD.RSA", zip.Store, "signature"},
	{"META-INF/services/com.mine.Service", zip.Deflate, "com.mine.Implementation\n"},
	{"assets/dexopt/baseline.prof", zip.Store, "pro\x00"},
	{"assets/dexopt/baseline.profm", zip.Store, "prm\x00"},
	{"stamp-cert-sha256", zip.Store, "stamp"},
	{"assets/" + strings.Repeat("long name/", 20) + "end.txt", zip.Deflate, "text"},
}

// build returns an archive that the standard library wrote, with data descriptors and without
// alignment.
func build(t testing.TB, contents []content) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, c := range contents {
		f, err := w.CreateHeader(&zip.FileHeader{Name: c.name, Method: c.method})
		if err == nil {
			_, err = io.WriteString(f, c.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetComment("a comment"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// debugKey is made once for all tests.
var debugKey = sync.OnceValues(func() (*Key, error) {
	folder, err := os.MkdirTemp("", "key")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	return DebugKey(filepath.Join(folder, "new", "debug.pem"))
})

func mustKey(t testing.TB) *Key {
	t.Helper()
	k, err := debugKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func open(data []byte) (*Archive, error) { return Open(bytes.NewReader(data), int64(len(data))) }

func mustOpen(t testing.TB, data []byte) *Archive {
	t.Helper()
	a, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// rewrite returns a copy with edits, and the names of the entries that Write left out.
func rewrite(t testing.TB, a *Archive, edits []Edit, key *Key, minSDK int) ([]byte, []string) {
	t.Helper()
	var b bytes.Buffer
	dropped, err := a.Write(t.Context(), &b, edits, key, minSDK)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), dropped
}

// checkCopy compares a copy with its original. Entries without an edit must have the same stored
// bytes, and stored entries must be aligned.
func checkCopy(t *testing.T, a *Archive, copied []byte, edits []Edit, dropped []string) *Archive {
	t.Helper()
	b := mustOpen(t, copied)
	left := make(map[string]bool)
	for _, name := range dropped {
		left[name] = true
	}
	changed := make(map[string][]byte)
	for _, e := range edits {
		changed[e.Name] = e.Data
	}
	for _, e := range a.Entries() {
		got := b.Entry(e.Name)
		if left[e.Name] || isSignature(e.Name) {
			if left[e.Name] && got != nil && !isSignature(e.Name) {
				t.Errorf("%s was left out, but is in the copy", e.Name)
			}
			continue
		}
		if got == nil || got.Method != e.Method {
			t.Errorf("%s is missing, or has another method", e.Name)
			continue
		}
		if _, ok := changed[e.Name]; !ok && !bytes.Equal(mustStored(t, a, &e), mustStored(t, b, got)) {
			t.Errorf("%s has other bytes", e.Name)
		}
	}
	for i := range b.Entries() {
		e := &b.Entries()[i]
		align := int64(4)
		if strings.HasSuffix(e.Name, ".so") {
			align = 16384
		}
		if e.Method == Stored && e.data%align != 0 {
			t.Errorf("%s has offset %d", e.Name, e.data)
		}
		got, err := b.Read(e)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if want, ok := changed[e.Name]; ok && !bytes.Equal(got, want) {
			t.Errorf("%s has not the content of its edit", e.Name)
		}
	}
	for _, e := range edits {
		if b.Entry(e.Name) == nil {
			t.Errorf("%s was not added", e.Name)
		}
	}
	return b
}

func mustStored(t *testing.T, a *Archive, e *Entry) []byte {
	t.Helper()
	data, err := io.ReadAll(a.stored(e))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWrite(t *testing.T) {
	a := mustOpen(t, build(t, small))
	edits := []Edit{
		{"classes.dex", []byte("dex\n035 new code")},
		{"classes2.dex", []byte("dex\n035 new code, stored as before")},
		{"classes3.dex", bytes.Repeat([]byte("dex\n035 runtime"), 200_000)},
	}
	copied, dropped := rewrite(t, a, edits, mustKey(t), 21)
	want := "META-INF/MANIFEST.MF META-INF/CERT.SF META-INF/OLD.RSA assets/dexopt/baseline.prof assets/dexopt/baseline.profm stamp-cert-sha256"
	if got := strings.Join(dropped, " "); got != want {
		t.Errorf("left out %s\nwant     %s", got, want)
	}
	b := checkCopy(t, a, copied, edits, dropped)
	if got := strings.Join(b.Dex(), " "); got != "classes.dex classes2.dex classes3.dex" {
		t.Error(got)
	}
	certificate, err := verify(copied)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(certificate); hex.EncodeToString(sum[:]) != mustKey(t).Fingerprint() {
		t.Error("the certificate is not the key's")
	}
	for _, at := range []int{10, 5000, len(copied) / 2, len(copied) - 30} {
		damaged := bytes.Clone(copied)
		damaged[at] ^= 1
		if _, err := verify(damaged); err == nil {
			t.Errorf("a change at %d is not noticed", at)
		}
	}
	// A copy of a copy has the same bytes and alignment, and is not larger.
	again, _ := rewrite(t, b, nil, mustKey(t), 21)
	c := checkCopy(t, b, again, nil, nil)
	if len(c.Entries()) != len(b.Entries()) || len(again) != len(copied) {
		t.Errorf("a copy of a copy has %d entries and %d bytes, not %d and %d", len(c.Entries()), len(again), len(b.Entries()), len(copied))
	}
}

// TestWriteStoredCode adds code to an app whose code is not compressed. The added file must also be
// uncompressed, and aligned.
func TestWriteStoredCode(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"AndroidManifest.xml", "classes.dex"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(f, "content of "+name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := mustOpen(t, b.Bytes())
	edits := []Edit{{"classes.dex", []byte("changed code")}, {"classes2.dex", []byte("new code")}, {"assets/new.map", []byte("new file")}}
	copied, dropped := rewrite(t, a, edits, ecKey(t), 24)
	made := checkCopy(t, a, copied, edits, dropped)
	for name, want := range map[string]uint16{"classes.dex": Stored, "classes2.dex": Stored, "assets/new.map": Deflated} {
		e := made.Entry(name)
		if e == nil || e.Method != want || want == Stored && e.data%4 != 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestWriteWithoutCode(t *testing.T) {
	a := mustOpen(t, build(t, small))
	edits := []Edit{{"assets/new.txt", []byte("new")}}
	copied, dropped := rewrite(t, a, edits, mustKey(t), 30)
	b := checkCopy(t, a, copied, edits, dropped)
	if b.Entry("assets/dexopt/baseline.prof") == nil {
		t.Error("the baseline profile is lost, though the code is the old one")
	}
	if b.Entry("META-INF/MANIFEST.MF") != nil {
		t.Error("scheme 1 for an app that does not need it")
	}
}

func TestWriteRefuses(t *testing.T) {
	a := mustOpen(t, build(t, small))
	for _, edits := range [][]Edit{
		{{"../x", nil}}, {{"", nil}}, {{"a//b", nil}}, {{"folder/", nil}},
		{{"classes.dex", nil}, {"classes.dex", nil}},
	} {
		if _, err := a.Write(t.Context(), io.Discard, edits, mustKey(t), 21); err == nil {
			t.Errorf("%q is accepted", edits)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Write(ctx, io.Discard, nil, mustKey(t), 30); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	full := errors.New("disk full")
	for n := range 20 {
		w := &limited{left: n * 4000, err: full}
		if _, err := a.Write(t.Context(), w, nil, mustKey(t), 30); w.err == nil && !errors.Is(err, full) {
			t.Errorf("after %d bytes: %v", n*4000, err)
		}
	}
}

// A limited is a writer that fails after a number of bytes. It then sets err to nil.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		err := l.err
		if err == nil {
			panic("a write after an error")
		}
		l.err = nil
		return 0, err
	}
	return len(p), nil
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.apk")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("fault")
	err := WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, fault)
	})
	if got, _ := os.ReadFile(path); !errors.Is(err, fault) || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	if err := WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("%q", got)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files are left behind", len(files))
	}
}

func TestLines(t *testing.T) {
	for _, n := range []int{0, 1, 69, 70, 71, 139, 140, 300} {
		var b bytes.Buffer
		line(&b, strings.Repeat("x", n))
		joined := strings.ReplaceAll(strings.TrimSuffix(b.String(), "\r\n"), "\r\n ", "")
		for l := range strings.SplitSeq(strings.TrimSuffix(b.String(), "\r\n"), "\r\n") {
			if len(l) > 70 {
				t.Errorf("a line of %d bytes", len(l))
			}
		}
		if len(joined) != n {
			t.Errorf("%d bytes, not %d", len(joined), n)
		}
	}
}

func TestECKeyOnOldPhones(t *testing.T) {
	a := mustOpen(t, build(t, small))
	if _, err := a.Write(t.Context(), io.Discard, nil, ecKey(t), 14); err == nil || !strings.Contains(err.Error(), "RSA") {
		t.Error(err)
	}
	if _, err := a.Write(t.Context(), io.Discard, nil, ecKey(t), 21); err != nil {
		t.Error(err)
	}
}

func Example_dexNames() {
	fmt.Println(DexName(0), DexName(1), DexName(9))
	// Output: classes.dex classes2.dex classes10.dex
}
