package image

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
)

// maxJIT limits the size of a file perf-PID.map.
const maxJIT = 256 << 20

// mapOf returns the process of a file perf-PID.map, and false for files with other names.
func mapOf(file string) (process int32, ok bool) {
	number, ok := strings.CutPrefix(path.Base(file), "perf-")
	number, ok2 := strings.CutSuffix(number, ".map")
	n, err := strconv.ParseInt(number, 10, 32)
	return int32(n), ok && ok2 && err == nil && n >= 0
}

// jit returns the functions that a process's virtual machine compiled, or nil if they are unknown.
// The file perf-PID.map lists them. It is in the recording or in the folder tmp.
func (im *Images) jit(process int32) *Object {
	o, looked := im.jits[process]
	if looked || im.files == nil {
		return o
	}
	name := fmt.Sprintf("tmp/perf-%d.map", process)
	if file, err := im.files.Open(name); err == nil {
		defer file.Close()
		if text, err := io.ReadAll(io.LimitReader(file, maxJIT)); err == nil {
			o = &Object{Path: name, Kind: data.Map, symbols: program.Sorted(parseMap(text))}
		}
	}
	im.jits[process] = o
	return o
}

// parseMap parses lines with an address, a size and a name. Address and size are hexadecimal.
func parseMap(text []byte) []program.Symbol {
	var out []program.Symbol
	for line := range bytes.Lines(text) {
		at, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		size, name, ok := bytes.Cut(rest, []byte{' '})
		a, err := strconv.ParseUint(strings.TrimPrefix(string(at), "0x"), 16, 64)
		n, err2 := strconv.ParseUint(strings.TrimPrefix(string(size), "0x"), 16, 64)
		if ok && err == nil && err2 == nil && n > 0 {
			out = append(out, program.Symbol{Address: a, Size: n, Name: string(name)})
		}
	}
	return out
}
