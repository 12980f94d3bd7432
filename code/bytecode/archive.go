package bytecode

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ReadArchive reads the classes of a jar, or of the jar in an aar. It skips META-INF, which has
// variants of classes for later Java versions.
func ReadArchive(file string) ([]*Class, error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer archive.Close()
	classes, err := readZip(&archive.Reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return classes, nil
}

// ReadFolder reads the class files in a folder.
func ReadFolder(folder string) ([]*Class, error) {
	var out []*Class
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".class" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		class, err := Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, class)
		return nil
	})
	return out, err
}

func readZip(archive *zip.Reader) ([]*Class, error) {
	var out []*Class
	for _, f := range archive.File {
		extension := path.Ext(f.Name)
		if extension != ".class" && f.Name != "classes.jar" ||
			path.Base(f.Name) == "module-info.class" || strings.HasPrefix(f.Name, "META-INF/") {
			continue
		}
		data, err := content(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if extension == ".class" {
			class, err := Parse(data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			out = append(out, class)
			continue
		}
		inner, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		classes, err := readZip(inner)
		if err != nil {
			return nil, err
		}
		out = append(out, classes...)
	}
	return out, nil
}

func content(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
