package server

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/html"
	"github.com/diffprof/diffprof/report/text"
)

// reportWidth is the width of text reports in files, in columns.
const reportWidth = 120

// formatOf is the format that a file's name asks for.
func formatOf(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		return "html"
	case ".txt":
		return "text"
	}
	return "json"
}

// render renders what diffprof compare --format would write.
func (v *view) render(version, format string) ([]byte, error) {
	top, ok := map[string]int{"html": html.DefaultTop, "json": 0, "text": text.DefaultTop}[format]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no format %.40q: use html, json or text", format)
	}
	result, ignored := finding.Without(v.layout.Set.Result, func(id, method string, above []string) bool {
		return v.prefs.Ignored(id, method, above) != nil
	})
	made := report.New(result, version, v.prefs.TopOr(top))
	made.NoteIgnored(ignored, "the settings")
	var b bytes.Buffer
	var err error
	switch format {
	case "html":
		err = html.Write(&b, made, result, html.Options{Unit: v.prefs.Unit})
	case "text":
		err = text.Comparison(&b, made, text.Options{Unit: v.prefs.Unit, Voltage: result.Voltage, Width: reportWidth})
	default:
		err = made.WriteJSON(&b)
	}
	if err != nil {
		return nil, fmt.Errorf("rendering the report: %w", err)
	}
	return b.Bytes(), nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte, overwrite bool) error {
	if info, err := os.Lstat(path); err == nil && (!overwrite || !info.Mode().IsRegular()) {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		// The first error says what matters.
		_ = os.Remove(file.Name())
	}
	return err
}
