package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
)

// Content returns the SHA-256 hash of the recording's decompressed bytes, so a compressed copy has
// the same hash. For a folder it hashes the names and the contents of its files.
func (f *File) Content(ctx context.Context) (sum [32]byte, err error) {
	h := sha256.New()
	if folder := f.source.Folder(); folder != nil {
		err = fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			file, err := folder.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			hash := sha256.New()
			if _, err := io.Copy(hash, file); err != nil {
				return err
			}
			fmt.Fprintf(h, "%d:%s\n", len(path), path)
			h.Write(hash.Sum(nil))
			return nil
		})
	} else {
		var r io.ReadCloser
		if r, err = f.source.Stream(ctx); err == nil {
			defer r.Close()
			_, err = io.Copy(h, r)
		}
	}
	if err != nil {
		return sum, f.locate(err)
	}
	return [32]byte(h.Sum(nil)), nil
}
