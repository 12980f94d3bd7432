package instrument

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/klauspost/compress/gzip"
)

// mapFormat is the format of the map of IDs. Package ingest/calls reads it.
const mapFormat = "diffprof-calls-map 1"

// pathMapFormat is the format of a map with paths.
const pathMapFormat = "diffprof-calls-map 2"

// A document is the beginning of the map of IDs. The members "methods" and "sites" follow.
type document struct {
	Format string `json:"format"`
	// Numbers is the version of the path numbers. See path.Version.
	Numbers int `json:"numbers,omitempty"`
	// Bursts states that the app creates bursts of load for external meters. The runtime searches
	// for this text before "dex".
	Bursts bool      `json:"bursts,omitempty"`
	Dex    []dexFile `json:"dex"`
}

// A dexFile is an original DEX file of the app.
type dexFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

type mapMethod struct {
	ID         int32  `json:"id"`
	Class      string `json:"class"`
	Name       string `json:"name"`
	Descriptor string `json:"descriptor"`
	File       string `json:"file,omitempty"`
	// Paths is absent if the method's paths are not counted.
	Paths *mapPaths `json:"paths,omitempty"`
}

// A mapPaths is the control-flow graph of a method, with the lines of each block and their opcodes.
type mapPaths struct {
	Next    [][]int32  `json:"next"`
	Starts  []int32    `json:"starts"`
	Lines   [][]int32  `json:"lines"`
	Opcodes [][]string `json:"opcodes"`
}

type mapSite struct {
	ID         int32  `json:"id"`
	Method     int32  `json:"method"`
	Line       int    `json:"line"`
	Class      string `json:"class"`
	Name       string `json:"name"`
	Descriptor string `json:"descriptor"`
	Resolved   string `json:"resolved,omitempty"`
	// Timed is "waits" for timed calls in which the thread only waits, "works" for other timed
	// calls, and "" for calls that are only counted.
	Timed string `json:"timed,omitempty"`
}

// A mapWriter writes the map of IDs. It compresses each method immediately, because the graphs of
// all methods together would need much memory.
type mapWriter struct {
	packed bytes.Buffer
	zip    *gzip.Writer
	// methods and sites are the numbers of entries so far.
	methods, sites int32
	// rows has the sites, which are written after all methods.
	rows []mapSite
	err  error
}

// newMapWriter starts a map with head.
func newMapWriter(head *document) *mapWriter {
	w := new(mapWriter)
	w.zip = gzip.NewWriter(&w.packed)
	text, err := json.Marshal(head)
	w.err = err
	w.text(string(bytes.TrimSuffix(text, []byte("}"))) + `,"methods":[`)
	return w
}

func (w *mapWriter) text(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.zip, s)
	}
}

// row writes an entry of a list.
func (w *mapWriter) row(first bool, entry any) {
	if !first {
		w.text(",")
	}
	text, err := json.Marshal(entry)
	if w.err == nil {
		w.err = err
	}
	w.text(string(text))
}

// method adds a method and its sites. It sets their IDs.
func (w *mapWriter) method(m *mapMethod, sites []mapSite) {
	m.ID = w.methods
	w.row(m.ID == 0, m)
	w.methods++
	for _, s := range sites {
		s.ID, s.Method = w.sites, m.ID
		w.rows = append(w.rows, s)
		w.sites++
	}
}

// finish returns the complete map.
func (w *mapWriter) finish() ([]byte, error) {
	w.text(`],"sites":[`)
	for i := range w.rows {
		w.row(i == 0, &w.rows[i])
	}
	w.text("]}")
	if err := w.zip.Close(); w.err == nil {
		w.err = err
	}
	return w.packed.Bytes(), w.err
}
