package server

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.lsp.dev/jsonrpc2"

	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/server/internal/finding"
	"github.com/diffprof/diffprof/units"
)

// reportWidth is the width of text reports in files, in columns.
const reportWidth = 120

// render renders a report.
func render(set *finding.Set, format string, unit *units.Unit) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch format {
	case "", "json":
		err = set.Report.WriteJSON(&b)
	case "text":
		err = text.Comparison(&b, set.Report, text.Options{Unit: unit, Voltage: set.Result.Voltage, Width: reportWidth})
	default:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no format %.40q: use json or text", format)
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
