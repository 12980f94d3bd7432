package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"time"
)

// A file of an archive.
type file struct {
	name    string
	content []byte
	program bool
}

func (f file) mode() fs.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

// tarred returns a compressed tar of the files without owners.
func tarred(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(packed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: int64(f.mode()), ModTime: date, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	// Closing writes the trailers.
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode())
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	// Closing writes the directory.
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
