package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	someday = time.Unix(1_700_000_000, 0).UTC()
	packed  = []file{{"folder/diffprof", bytes.Repeat([]byte("program"), 1000), true}, {"folder/LICENSE", []byte("text"), false}}
)

func TestArchivesHoldTheFiles(t *testing.T) {
	data, err := tarred(packed, someday)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(unpacked)
	for _, f := range packed {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || h.Name != f.name || !bytes.Equal(content, f.content) || h.FileInfo().Mode() != f.mode() || !h.ModTime.Equal(someday) {
			t.Error(h.Name, h.FileInfo().Mode(), h.ModTime, err)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error("more files, or no end:", err)
	}

	if data, err = zipped(packed, someday); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(z.File) != len(packed) {
		t.Fatal(err)
	}
	for i, f := range packed {
		content, err := z.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(content)
		if err != nil || z.File[i].Name != f.name || !bytes.Equal(got, f.content) || !z.File[i].Modified.Equal(someday) {
			t.Error(z.File[i].Name, z.File[i].Modified, err)
		}
	}
}

func TestManifestsAndSums(t *testing.T) {
	r := &release{version: "1.2.3", date: someday, out: t.TempDir()}
	for _, p := range platforms {
		if err := os.WriteFile(filepath.Join(r.out, r.archiveName(p)), []byte(p.goos+p.goarch), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	if err := r.sums(); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var scoop struct {
		Architecture map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal([]byte(read("diffprof.json")), &scoop); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("windowsarm64")))
	if got := scoop.Architecture["arm64"]; got.Hash != want || !strings.HasSuffix(got.URL, "/v1.2.3/diffprof-1.2.3-windows-arm64.zip") {
		t.Error(got)
	}
	formula, sums := read("diffprof.rb"), read("SHA256SUMS")
	for _, p := range platforms {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(p.goos+p.goarch)))
		if p.goos != "windows" && !strings.Contains(formula, sum) {
			t.Error("the formula lacks", p)
		}
		if !strings.Contains(sums, sum+"  "+r.archiveName(p)+"\n") {
			t.Error("the sums lack", p)
		}
	}
	if !strings.Contains(read("Containerfile"), "diffprof-1.2.3-linux-${TARGETARCH}.tar.gz") {
		t.Error("the container holds another archive")
	}
}

func TestPartsAndNotices(t *testing.T) {
	t.Chdir("../..")
	parts, err := (&release{}).parts()
	if err != nil {
		t.Fatal(err)
	}
	list, err := bom(parts, "1.2.3", someday)
	if err != nil {
		t.Fatal(err)
	}
	licences, err := notices(parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github.com/tetratelabs/wazero", "github.com/smacker/go-tree-sitter", "github.com/spf13/cobra", "std"} {
		if !strings.Contains(string(list), "pkg:golang/"+name+"@") {
			t.Error("the list of parts lacks", name)
		}
		if !strings.Contains(string(licences), "\n"+name+" ") {
			t.Error("the notices lack", name)
		}
	}
	if !strings.Contains(string(list), "pkg:npm/preact@") || strings.Contains(string(list), "staticcheck") {
		t.Error("the list of parts has not what the program has")
	}
	if _, err := notices([]part{{"golang", "nothing", "1", t.TempDir()}}); err == nil {
		t.Error("a part without a licence is passed over")
	}
}
