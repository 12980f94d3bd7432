package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/diffprof/diffprof/internal/syntax"
)

// OpenSide opens and decompresses a file that accompanies a recording, such as a mapping file. If
// the file has more bytes than the limit, reading fails with a *syntax.Error. A limit of 0 means
// DefaultMaxExpanded, and a negative limit means no limit. Reads fail after ctx is done. The file
// may be a pipe, such as the shell's <(command).
func OpenSide(ctx context.Context, path string, maxSize int64) (io.ReadCloser, error) {
	if maxSize == 0 {
		maxSize = DefaultMaxExpanded
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: a directory, not a file", path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	var raw io.Reader = file
	if !info.Mode().IsRegular() {
		raw = &cancellable{ctx: ctx, r: file}
	}
	plain, err := expand(ctx, raw, maxSize)
	if err != nil {
		file.Close()
		var bad *syntax.Error
		if errors.As(err, &bad) {
			bad.File = path
		}
		return nil, err
	}
	if len(plain.layers) == 0 {
		plain.Reader = limit(plain.Reader, maxSize, &syntax.Error{
			File: path, Offset: -1, Err: fmt.Errorf("the file has more than %d bytes", maxSize), Hint: hintTrusted,
		})
	}
	plain.closers = append(plain.closers, func() { file.Close() })
	return plain, nil
}
