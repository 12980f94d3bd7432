package manifest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/diffprof/diffprof/internal/syntax"
)

// library reports whether a package belongs to a library, for the tests.
func library(pkg string) bool { return strings.HasPrefix(pkg, "androidx.") }

const (
	app = `<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.mine.app">
  <queries><intent><action android:name="android.intent.action.MAIN"/><category android:name="android.intent.category.LAUNCHER"/></intent></queries>
  <application android:name="com.mine.base.App">
    <activity android:name=".ui.Settings"/>
    <activity android:name="org.mine.Start">
      <intent-filter>
        <action android:name="android.intent.action.MAIN"/>
        <category android:name="android.intent.category.LAUNCHER"/>
      </intent-filter>
    </activity>
    <service android:name="com.sdk.push.PushService"/>
    <receiver android:name="org.mine.boot.Boot"/>
    <provider android:name="androidx.startup.InitializationProvider"/>
    <activity-alias android:name=".Other" android:targetActivity="com.mine.alias.Target"/>
    <activity android:name="${applicationId}.Held"/>
  </application>
</manifest>`
	ofApp = "com.mine.alias com.mine.app com.mine.app.ui com.mine.base org.mine org.mine.boot"
)

// write writes a file and returns its path.
func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// archive returns a zip archive with a single file.
func archive(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	f, err := z.Create(name)
	if err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOwn(t *testing.T) {
	for what, test := range map[string]struct {
		content []byte
		want    string
	}{
		"text":                         {[]byte(app), ofApp},
		"text with a mark of its code": {[]byte("\ufeff" + app), ofApp},
		"binary":                       {binaryOf(t, app, false, false), ofApp},
		"binary, of one byte a letter": {binaryOf(t, app, true, false), ofApp},
		"binary, without the names of attributes": {binaryOf(t, app, true, true), ofApp},
		"an APK":              {archive(t, "AndroidManifest.xml", binaryOf(t, app, true, false)), ofApp},
		"a library's archive": {archive(t, "AndroidManifest.xml", []byte(app)), ofApp},
		"without a package":   {[]byte(`<manifest><application android:name=".App"><activity android:name="com.mine.Main"/></application></manifest>`), ""},
		"Groovy":              {[]byte("plugins { id 'com.android.application' }\nandroid {\n  namespace 'com.mine.app'\n  // namespace 'com.old'\n  defaultConfig {\n    applicationId \"com.shop\"\n    applicationIdSuffix '.debug'\n  }\n}\n"), "com.mine.app com.shop"},
		"Kotlin":              {[]byte("android {\n\tnamespace = \"com.mine.app\"\n}\n"), "com.mine.app"},
	} {
		m, err := Read(write(t, test.content))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got := strings.Join(m.Own(library), " "); got != test.want {
			t.Errorf("%s: %q, want %q", what, got, test.want)
		}
	}
}

// TestJoin checks that each file adds what the other lacks, in either order.
func TestJoin(t *testing.T) {
	texts := []string{
		`<manifest><application><activity android:name="com.mine.ui.Main"/></application></manifest>`,
		`namespace = "com.mine.app"`,
	}
	for range 2 {
		var all Manifest
		for _, text := range texts {
			m, err := Read(write(t, []byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			all.Join(m)
		}
		if got := all.Own(library); !slices.Equal(got, []string{"com.mine.app", "com.mine.ui"}) {
			t.Errorf("%q", got)
		}
		slices.Reverse(texts)
	}
}

func TestReadErrors(t *testing.T) {
	good := binaryOf(t, app, false, false)
	long := slices.Clone(good)
	binary.LittleEndian.PutUint32(long[12:], 1<<31)
	for what, test := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":              {nil, "neither an APK"},
		"another build file":   {[]byte("plugins { id 'java' }\n"), "neither an APK"},
		"another XML":          {[]byte("<resources/>"), "neither an APK"},
		"text cut short":       {[]byte(app[:len(app)-5]), "line 18: manifest: unexpected EOF"},
		"binary cut short":     {good[:len(good)-10], "binary manifest: a chunk is longer"},
		"a long chunk":         {long, "offset 8: binary manifest: a chunk is longer"},
		"an archive, damaged":  {[]byte("PK\x03\x04 and no more"), "the archive is damaged"},
		"an archive of others": {archive(t, "base/manifest/AndroidManifest.xml", nil), "name the app's APK"},
		"an archive's manifest": {archive(t, "AndroidManifest.xml", good[:len(good)-10]),
			"file!/AndroidManifest.xml: offset "},
		"too much": {append([]byte("<manifest"), make([]byte, maxSize)...), "larger than the limit of 16 MiB"},
	} {
		_, err := Read(write(t, test.content))
		var bad *syntax.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", what, err, test.want)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestTextOfTwoUnits reads strings whose length takes two units.
func TestTextOfTwoUnits(t *testing.T) {
	long := "com." + strings.Repeat("a", 40_000)
	text := `<manifest package="` + long + `"/>`
	for _, narrow := range []bool{false, true} {
		if narrow {
			text = strings.ReplaceAll(text, strings.Repeat("a", 40_000), strings.Repeat("b", 20_000))
			long = "com." + strings.Repeat("b", 20_000)
		}
		m, err := Read(write(t, binaryOf(t, text, narrow, false)))
		if err != nil || !slices.Equal(m.Packages, []string{long}) {
			t.Errorf("narrow %v: %d packages (%v)", narrow, len(m.Packages), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, narrow := range []bool{false, true} {
		f.Add(binaryOf(f, app, narrow, narrow))
	}
	f.Add([]byte(app))
	f.Add([]byte("namespace = \"com.mine\""))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := read(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of more than one line: %v", err)
			}
			return
		}
		own := m.Own(library)
		if !slices.IsSorted(own) || slices.Contains(own, "") {
			t.Errorf("%q", own)
		}
	})
}

// binaryOf converts XML text to the binary XML of an APK, as described in Android's
// ResourceTypes.h. If nameless is set, it omits the names of attributes that have an ID.
func binaryOf(t testing.TB, text string, narrow, nameless bool) []byte {
	t.Helper()
	var pool []string
	index := func(s string) uint32 {
		if i := slices.Index(pool, s); i >= 0 {
			return uint32(i)
		}
		pool = append(pool, s)
		return uint32(len(pool) - 1)
	}
	// The names of attributes with an ID come first in the string pool.
	numbers := []uint32{0x01010003, 0x01010202}
	index("name")
	index("targetActivity")
	le := binary.LittleEndian
	chunk := func(kind, header uint16, body []byte) []byte {
		out := le.AppendUint16(nil, kind)
		out = le.AppendUint16(out, header)
		return append(le.AppendUint32(out, uint32(8+len(body))), body...)
	}
	node := func(kind uint16, body []byte) []byte { // A node has a line but no comment.
		return chunk(kind, 16, append(le.AppendUint32(le.AppendUint32(nil, 1), noString), body...))
	}
	var elements []byte
	events(t, text, func(name string, attributes []attribute, end bool) {
		body := le.AppendUint32(le.AppendUint32(nil, noString), index(name))
		if end {
			elements = append(elements, node(chunkEnd, body)...)
			return
		}
		for _, v := range []uint16{20, 20, uint16(len(attributes)), 0, 0, 0} {
			body = le.AppendUint16(body, v)
		}
		for _, a := range attributes {
			value := index(a.value)
			raw := value
			if len(attributes) == 1 {
				raw = noString // The typed value has the text.
			}
			for _, v := range []uint32{noString, index(a.name), raw, 8 | typeString<<24, value} {
				body = le.AppendUint32(body, v)
			}
		}
		elements = append(elements, node(chunkStart, body)...)
	})
	if nameless {
		pool[0], pool[1] = "", ""
	}
	var offsets, texts []byte
	size := func(n, width int) (out []byte) {
		top := 1 << (8*width - 1)
		parts := []int{n}
		if n >= top {
			parts = []int{n>>(8*width) | top, n & (1<<(8*width) - 1)}
		}
		for _, part := range parts {
			if width == 1 {
				out = append(out, byte(part))
			} else {
				out = le.AppendUint16(out, uint16(part))
			}
		}
		return out
	}
	flags := uint32(0)
	for _, s := range pool {
		offsets = le.AppendUint32(offsets, uint32(len(texts)))
		units := utf16.Encode([]rune(s))
		if narrow {
			flags = utf8Flag
			texts = append(append(append(texts, size(len(units), 1)...), size(len(s), 1)...), s+"\x00"...)
			continue
		}
		texts = append(texts, size(len(units), 2)...)
		for _, u := range append(units, 0) {
			texts = le.AppendUint16(texts, u)
		}
	}
	var head []byte
	for _, v := range []uint32{uint32(len(pool)), 0, flags, uint32(28 + len(offsets)), 0} {
		head = le.AppendUint32(head, v)
	}
	var ids []byte
	for _, n := range numbers {
		ids = le.AppendUint32(ids, n)
	}
	return chunk(chunkXML, 8, slices.Concat(
		chunk(chunkStrings, 28, slices.Concat(head, offsets, texts)), chunk(chunkResources, 8, ids), elements))
}

// TestPermissionsBySigner checks which of the app's permissions are granted only to apps of the
// same signer. In text, protection levels are words. In binary form, they are numbers with flags
// above the lowest four bits.
func TestPermissionsBySigner(t *testing.T) {
	const text = `<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.mine">
  <permission android:name="com.mine.ANY"/>
  <permission android:name="com.mine.NORMAL" android:protectionLevel="normal"/>
  <permission android:name="com.mine.ASK" android:protectionLevel="dangerous|instant"/>
  <permission android:name="com.mine.OWN" android:protectionLevel="signature"/>
  <permission android:name="com.mine.SYSTEM" android:protectionLevel="signature|privileged"/>
  <permission android:name="com.mine.OLD" android:protectionLevel="signatureOrSystem"/>
  <permission android:name="com.mine.NUMBER" android:protectionLevel="0x2"/>
  <permission android:name="com.mine.FLAGS" android:protectionLevel="0x12"/>
  <permission android:name="com.mine.BOTH" android:protectionLevel="3"/>
  <permission android:name="com.mine.ONE" android:protectionLevel="0x11"/>
</manifest>`
	path := filepath.Join(t.TempDir(), "AndroidManifest.xml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"com.mine.OWN", "com.mine.SYSTEM", "com.mine.OLD", "com.mine.NUMBER", "com.mine.FLAGS", "com.mine.BOTH"}
	if !slices.Equal(m.Signed, want) {
		t.Errorf("permissions by signer are %q, want %q", m.Signed, want)
	}
}
