package calls

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/code/path"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// mapFormat is the format name in a map.
const mapFormat = "diffprof-calls-map 1"

// pathMapFormat is the format name in a map with paths.
const pathMapFormat = "diffprof-calls-map 2"

// A document is a map in JSON.
type document struct {
	Format string `json:"format"`
	// Numbers is the version of the scheme that numbers paths. It is 0 for a map without paths.
	Numbers int `json:"numbers"`
	Methods []struct {
		ID         int32  `json:"id"`
		Class      string `json:"class"`
		Name       string `json:"name"`
		Descriptor string `json:"descriptor"`
		File       string `json:"file"`
		Paths      *graph `json:"paths"`
	} `json:"methods"`
	Sites []struct {
		ID         int32  `json:"id"`
		Method     int32  `json:"method"`
		Line       int32  `json:"line"`
		Class      string `json:"class"`
		Name       string `json:"name"`
		Descriptor string `json:"descriptor"`
		// Resolved is the class that declares the method. It is empty if that is Class.
		Resolved string `json:"resolved"`
		// Timed is "waits" or "works" if the app keeps the times of single calls.
		Timed string `json:"timed"`
	} `json:"sites"`
}

// An index has the methods and the call sites of a map by their ids.
type index struct {
	methods map[int32]name.Method
	sites   map[int32]site
	// graphs has the control-flow graphs of the methods whose paths are counted.
	graphs map[int32]*graph
	// ids has the trace's method for each method id in the recording. callees has the called method
	// for each id of a call site.
	ids, callees map[int32]trace.MethodID
}

// A site is a call site: the calling method, the line, and the called method.
type site struct {
	method, line int32
	callee       name.Method
	// waits is set if the thread only waits in the call.
	waits bool
}

// addMap reads a map.
func (d *decoder) addMap(file string, offset int64, data []byte) error {
	bad := func(format string, args ...any) error {
		return fail(file, offset, hintMap, "the map: %w", fmt.Errorf(format, args...))
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return bad("%w", err)
	}
	if doc.Format != mapFormat && doc.Format != pathMapFormat {
		return bad("its format is %.40q, not %q", doc.Format, mapFormat)
	}
	if doc.Format == pathMapFormat && doc.Numbers != path.Version {
		return bad("its paths have numbers of version %d, and this diffprof reads version %d", doc.Numbers, path.Version)
	}
	m := &index{
		methods: make(map[int32]name.Method, len(doc.Methods)), sites: make(map[int32]site, len(doc.Sites)), graphs: make(map[int32]*graph),
		ids: make(map[int32]trace.MethodID), callees: make(map[int32]trace.MethodID),
	}
	for _, method := range doc.Methods {
		if _, twice := m.methods[method.ID]; twice || method.Name == "" {
			return bad("method %d occurs twice or has no name", method.ID)
		}
		if method.Paths != nil {
			if err := method.Paths.check(); err != nil {
				return bad("method %d: %w", method.ID, err)
			}
			m.graphs[method.ID] = method.Paths
		}
		m.methods[method.ID] = name.OfClass(method.Class, method.Name, method.Descriptor).At(method.File, 0)
	}
	for _, s := range doc.Sites {
		class := s.Resolved
		if class == "" {
			class = s.Class
		}
		if _, twice := m.sites[s.ID]; twice || s.Name == "" || s.Line < 0 {
			return bad("call site %d occurs twice, has no name or has line %d", s.ID, s.Line)
		}
		if _, known := m.methods[s.Method]; !known {
			return bad("call site %d is in unknown method %d", s.ID, s.Method)
		}
		m.sites[s.ID] = site{method: s.Method, line: s.Line, callee: name.OfClass(class, s.Name, s.Descriptor), waits: s.Timed == "waits"}
	}
	sum := sha256.Sum256(data)
	d.maps[hex.EncodeToString(sum[:])] = m
	return nil
}

// gunzip decompresses a map.
func gunzip(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxFile+1))
	if err == nil && len(plain) > maxFile {
		err = errors.New("it is larger than a map can be")
	}
	return plain, err
}
