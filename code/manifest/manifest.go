// Package manifest finds the packages of an Android app's own code. It reads an APK, an
// AndroidManifest.xml in text or binary form, or a build.gradle.
//
// A manifest states the app's package and the classes of its components. The build merges the
// manifests of libraries into that of the app. So [Manifest.Own] uses only packages that certainly
// belong to the app:
//
//   - the package of the app;
//   - the packages of the Application class and of the activities that the launcher starts;
//   - the packages of other components that begin with the same two parts as one of these.
//
// The same rule applies to an AndroidManifest.xml that was written by hand. A build.gradle states
// the package as namespace or as applicationId.
//
// Files may be malicious, so size and work are bounded. The error for a damaged file is a
// [*syntax.Error]. All functions are safe for concurrent use.
package manifest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/internal/syntax"
)

// maxSize is the maximum size of an uncompressed manifest, in bytes. The largest manifests of real
// apps have several hundred kilobytes.
const maxSize = 16 << 20

// A Manifest describes the code of an app.
type Manifest struct {
	// Packages has the app's package. For a build.gradle, it has every namespace and applicationId.
	Packages []string
	// MinSDK is the lowest API level on which the app runs, or 0 if the file does not state it.
	MinSDK int
	// Split is the name of a split APK. It is empty for the base APK.
	Split string
	// SharedUser is the user ID that the app shares with other apps of the same signer, or "".
	SharedUser string
	// Signed are the permissions that the app defines and that only apps of the same signer get.
	Signed []string
	// main has the classes that start the app: the Application class and the launcher's activities.
	// others has the classes of all other components.
	main, others []string
}

// Read reads the file at path. It recognizes the format by the content.
func Read(path string) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the manifest: %s: not a file", path)
	}
	m, err := read(f, info.Size())
	var bad *syntax.Error
	switch {
	case errors.As(err, &bad):
		bad.File = path + bad.File
		return nil, bad
	case err != nil:
		return nil, &syntax.Error{File: path, Offset: -1, Err: err}
	}
	return m, nil
}

// Parse reads the content of a manifest or a build file.
func Parse(data []byte) (*Manifest, error) { return readFile(bytes.NewReader(data)) }

// Join merges another file of the same app into m.
func (m *Manifest) Join(more *Manifest) {
	m.Packages = append(m.Packages, more.Packages...)
	m.main = append(m.main, more.main...)
	m.others = append(m.others, more.others...)
}

// Own returns the packages of the app's own code, sorted and without duplicates. library reports
// whether a package belongs to a known library.
func (m *Manifest) Own(library func(pkg string) bool) []string {
	own, roots := make(map[string]bool), make(map[string]bool)
	add := func(pkg string) {
		if pkg != "" && !library(pkg) {
			own[pkg], roots[root(pkg)] = true, true
		}
	}
	for _, pkg := range m.Packages {
		add(pkg)
	}
	for _, class := range m.main {
		add(packageOf(class))
	}
	for _, class := range m.others {
		if pkg := packageOf(class); roots[root(pkg)] {
			add(pkg)
		}
	}
	return slices.Sorted(maps.Keys(own))
}

// packageOf returns the package of a class.
func packageOf(class string) string { return class[:max(strings.LastIndexByte(class, '.'), 0)] }

// root returns the first two parts of a package.
func root(pkg string) string {
	parts := strings.SplitN(pkg, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// read reads a file of size bytes.
func read(content io.ReaderAt, size int64) (*Manifest, error) {
	head := make([]byte, 4)
	if n, err := content.ReadAt(head, 0); n < len(head) {
		if err == io.EOF {
			err = errUnknown
		}
		return nil, err
	}
	if string(head) == "PK\x03\x04" {
		return readArchive(content, size)
	}
	return readFile(io.NewSectionReader(content, 0, size))
}

// readArchive reads the manifest of an APK or an AAR.
func readArchive(content io.ReaderAt, size int64) (*Manifest, error) {
	archive, err := zip.NewReader(content, size)
	if err != nil {
		return nil, &syntax.Error{Offset: -1, Err: fmt.Errorf("the archive is damaged: %w", err)}
	}
	const inside = "AndroidManifest.xml"
	f, err := archive.Open(inside)
	if err != nil {
		return nil, &syntax.Error{Offset: -1, Err: errors.New("the archive has no " + inside + ": name the app's APK, not a bundle or a jar")}
	}
	defer f.Close()
	m, err := readFile(f)
	var bad *syntax.Error
	if errors.As(err, &bad) {
		bad.File = "!/" + inside
	}
	return m, err
}

var errUnknown = errors.New("neither an APK, nor an AndroidManifest.xml, nor a build.gradle with a namespace or an applicationId")

// readFile reads a manifest or a build file.
func readFile(r io.Reader) (*Manifest, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxSize:
		return nil, &syntax.Error{Offset: maxSize, Err: fmt.Errorf("larger than the limit of %d MiB for a manifest", maxSize>>20)}
	case len(data) >= 8 && binary.LittleEndian.Uint16(data) == chunkXML:
		return readBinary(data)
	case bytes.HasPrefix(bytes.TrimLeft(data, "\xef\xbb\xbf \t\r\n"), []byte("<")):
		return readText(data)
	}
	m := new(Manifest)
	for _, found := range gradle.FindAllSubmatch(data, -1) {
		m.Packages = append(m.Packages, string(found[1]))
	}
	if m.Packages == nil {
		return nil, errUnknown
	}
	return m, nil
}

// gradle matches the packages in a build.gradle or a build.gradle.kts.
var gradle = regexp.MustCompile(`(?m)^[ \t]*(?:namespace|applicationId)[ \t]*[=( \t][ \t]*["']([A-Za-z_][\w.]*)["']`)

// A builder builds a Manifest from XML elements.
type builder struct {
	Manifest
	pkg string
	// class is the class of the current component. action and home report whether the component's
	// intent filters have the launcher's action and one of its categories.
	class        string
	action, home bool
}

// An attribute is an attribute of an element. Its name is without namespace.
type attribute struct{ name, value string }

// start handles the start of an element.
func (b *builder) start(element string, attributes []attribute) {
	values := make(map[string]string, len(attributes))
	for _, a := range attributes {
		values[a.name] = a.value
	}
	switch class := b.absolute(values["name"]); element {
	case "manifest":
		if b.pkg = values["package"]; b.pkg != "" {
			b.Packages = append(b.Packages, b.pkg)
		}
		b.Split, b.SharedUser = values["split"], values["sharedUserId"]
	case "uses-sdk":
		if n, err := strconv.ParseUint(values["minSdkVersion"], 10, 16); err == nil {
			b.MinSDK = int(n)
		}
	case "permission":
		if isSignature(values["protectionLevel"]) {
			b.Signed = append(b.Signed, values["name"])
		}
	case "application":
		b.main = append(b.main, class)
	case "activity", "service", "receiver", "provider":
		b.class, b.action, b.home = class, false, false
	case "activity-alias":
		b.class, b.action, b.home = b.absolute(values["targetActivity"]), false, false
	case "action":
		b.action = b.action || values["name"] == "android.intent.action.MAIN"
	case "category":
		b.home = b.home || values["name"] == "android.intent.category.LAUNCHER" || values["name"] == "android.intent.category.HOME"
	}
}

// isSignature reports whether a protection level grants a permission only to apps of the same
// signer. Binary manifests have a number. Its lowest four bits are then 2 or 3.
func isSignature(level string) bool {
	if n, err := strconv.ParseUint(level, 0, 32); err == nil {
		return n&0xf == 2 || n&0xf == 3
	}
	first, _, _ := strings.Cut(level, "|")
	return strings.HasPrefix(first, "signature")
}

// end handles the end of an element.
func (b *builder) end(element string) {
	switch element {
	case "activity", "service", "receiver", "provider", "activity-alias":
		if b.action && b.home {
			b.main = append(b.main, b.class)
		} else {
			b.others = append(b.others, b.class)
		}
	}
}

// absolute returns a class name with its package. It returns "" if the package is unknown, for
// example because the build replaces a placeholder.
func (b *builder) absolute(class string) string {
	switch {
	case class == "", strings.Contains(class, "$"+"{"):
		return ""
	case strings.HasPrefix(class, "."), !strings.Contains(class, "."):
		if b.pkg == "" {
			return ""
		}
		return b.pkg + "." + strings.TrimPrefix(class, ".")
	}
	return class
}
