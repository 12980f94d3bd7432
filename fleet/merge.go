package fleet

import (
	"bufio"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"slices"

	"github.com/diffprof/diffprof/fleet/sums"
)

// mergeFiles is the number of files over which a Merger distributes apps.
const mergeFiles = 64

// A Merger adds up the sums of several shares of the clients. If there are too many apps for
// memory, it writes their rows to temporary files, and adds up one file after the other. It also
// removes and counts the apps that fewer than MinGroup clients ran. The order of the rows and the
// memory limit do not change the result.
type Merger struct {
	most  int
	temp  string
	table *sums.Table
	files []*os.File
	out   []*bufio.Writer
	line  []byte
}

// NewMerger returns a Merger that keeps at most the given number of apps in memory. temp is the
// folder for its files. If temp is empty, the system's folder for temporary files is used.
func NewMerger(limit int, temp string) *Merger {
	return &Merger{most: limit, temp: temp, table: sums.New()}
}

// Read adds the rows of a share.
func (m *Merger) Read(r io.Reader) error {
	return sums.ReadRows(r, func(key string, row *sums.Row) error {
		if m.files != nil && isAppRow(key) {
			return m.spill(key, row)
		}
		m.table.AddRow(key, row)
		if m.files == nil && m.table.Count("ran") > m.most {
			return m.divide()
		}
		return nil
	})
}

// isAppRow reports whether a row has the sums of an app.
func isAppRow(key string) bool {
	parts := sums.Parts(key)
	return len(parts) == 2 && parts[1] != "" && slices.Contains(appKinds, parts[0])
}

// divide moves the rows of all apps to files. All rows of an app are in the same file.
func (m *Merger) divide() error {
	for range mergeFiles {
		file, err := os.CreateTemp(m.temp, "fleet-*.sums")
		if err != nil {
			return err
		}
		_ = os.Remove(file.Name()) // On most systems, the file stays until it is closed.
		m.files, m.out = append(m.files, file), append(m.out, bufio.NewWriter(file))
	}
	var err error
	for _, kind := range appKinds {
		rename(m.table, kind, func(rest []string, r *sums.Row) []string {
			if rest[0] == "" {
				return rest
			}
			err = errors.Join(err, m.spill(sums.Key(kind, rest[0]), r))
			return nil
		})
	}
	return err
}

// spill writes a row to the file of its app.
func (m *Merger) spill(key string, row *sums.Row) error {
	h := fnv.New32a()
	_, _ = io.WriteString(h, sums.Parts(key)[1])
	m.line = sums.Append(m.line[:0], key, row)
	_, err := m.out[h.Sum32()%mergeFiles].Write(m.line)
	return err
}

// Sums returns the sums of all shares. The Merger is not used again.
func (m *Merger) Sums() (*sums.Table, error) {
	for i, file := range m.files {
		if err := m.out[i].Flush(); err != nil {
			return nil, err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		some := sums.New()
		if err := some.Read(bufio.NewReader(file)); err != nil {
			return nil, err
		}
		hideRareIn(some)
		m.table.Merge(some)
	}
	return m.table, nil
}

// Close removes the files.
func (m *Merger) Close() {
	for _, file := range m.files {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
}
