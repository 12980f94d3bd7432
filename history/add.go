package history

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history/run"
)

// Added is the result of Add.
type Added struct {
	// Entry is the entry after the runs were added. Its ID is 0 if nothing was added, and the entry
	// does not exist.
	Entry Entry
	// New is the number of added runs. They are the last runs of Entry.Runs.
	New int
	// Known has the runs that the history already had.
	Known []Known
}

// A Known is a recording that the history already had.
type Known struct {
	// Name is the recording's name in this call. Run and Entry are the existing run and its entry.
	Name  string
	Run   Run
	Entry Entry
}

// Add adds runs to the entry that has the same key as e, and creates the entry if necessary. It
// ignores e.ID, e.Added and e.Runs. If it returns an error, it has added no run. It skips
// recordings that the file already has, in whichever entry. Runs get the names of their recordings.
// If a name is in use, a number is appended.
func (s *Store) Add(ctx context.Context, e Entry, runs ...analysis.StoredRun) (*Added, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	packed := make([][]byte, len(runs))
	for i := range runs {
		var err error
		if packed[i], err = run.Pack(&runs[i]); err != nil {
			return nil, err
		}
	}
	out := new(Added)
	err := s.write(ctx, func(tx *sql.Tx) error {
		*out = Added{}
		entry, err := findLike(ctx, tx, &e)
		if err != nil {
			return err
		}
		for i := range runs {
			known, err := queryEntries(ctx, tx, "WHERE id = (SELECT entry FROM run WHERE content = ?)", runs[i].Content[:])
			if err != nil {
				return err
			}
			if len(known) > 0 {
				for _, r := range known[0].Runs {
					if r.Content == runs[i].Content {
						out.Known = append(out.Known, Known{filepath.Base(runs[i].Input.Path), r, known[0]})
					}
				}
				continue
			}
			if entry.ID == 0 {
				if entry, err = insertEntry(ctx, tx, &e); err != nil {
					return err
				}
			}
			r := describe(&runs[i], packed[i])
			r.Name = entry.freeName(r.Name)
			if err := insertRun(ctx, tx, entry.ID, &r, packed[i]); err != nil {
				return err
			}
			entry.Runs = append(entry.Runs, r)
			out.New++
		}
		out.Entry = entry
		return nil
	})
	if err != nil {
		return nil, s.explain("adding to", err)
	}
	return out, nil
}

// Remove removes entries and their runs. If it returns an error, it has removed none. It ignores
// unknown IDs.
func (s *Store) Remove(ctx context.Context, ids ...int64) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, "DELETE FROM entry WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
	return s.explain("removing from", err)
}

// write runs do in a transaction. It waits for the transactions of other programs.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		// If the disk is full, SQLite itself ends the transaction. The first error states the
		// cause.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// findLike returns the entry with the same key as e, or the zero Entry. If the entry has no
// version, it gets that of e.
func findLike(ctx context.Context, tx *sql.Tx, e *Entry) (Entry, error) {
	found, err := queryEntries(ctx, tx, "WHERE hash = ? AND app = ? AND device = ? AND scenario = ? AND (hash <> '' OR version = ?)",
		e.Commit, e.App, e.Device, e.Scenario, e.Version)
	if err != nil || len(found) == 0 {
		return Entry{}, err
	}
	entry := found[0]
	switch {
	case e.Version == "" || e.Version == entry.Version:
	case entry.Version != "":
		return Entry{}, fmt.Errorf("the entry %v has the version %s, not %s", &entry, entry.Version, e.Version)
	default:
		entry.Version = e.Version
		_, err = tx.ExecContext(ctx, "UPDATE entry SET version = ? WHERE id = ?", e.Version, entry.ID)
	}
	return entry, err
}

func insertEntry(ctx context.Context, tx *sql.Tx, e *Entry) (Entry, error) {
	entry := *e
	entry.Runs, entry.Added = nil, time.Now()
	done, err := tx.ExecContext(ctx, "INSERT INTO entry (hash, parents, version, app, device, scenario, time, added) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		e.Commit, strings.Join(e.Parents, " "), e.Version, e.App, e.Device, e.Scenario, e.Time.UnixNano(), entry.Added.UnixNano())
	if err != nil {
		return Entry{}, err
	}
	entry.ID, err = done.LastInsertId()
	return entry, err
}

// describe returns the description of a run to add.
func describe(k *analysis.StoredRun, packed []byte) Run {
	in := &k.Input
	return Run{
		Name: filepath.Base(in.Path), Content: k.Content, Format: in.Trace.Format, Provenance: in.Trace.Energy, Unstated: in.Trace.Unstated,
		Power: in.PowerSource, Energy: in.Energy, CPU: in.CPU, Elapsed: in.Trace.Elapsed,
		Contexts: len(k.Tree.Nodes), Kept: int64(len(packed)), Recorded: in.Size, Added: time.Now(),
	}
}

// freeName returns name, or name with a number if a run of the entry already has that name.
func (e *Entry) freeName(name string) string {
	taken := make(map[string]bool, len(e.Runs))
	for _, r := range e.Runs {
		taken[r.Name] = true
	}
	for n, first := 2, name; taken[name]; n++ {
		name = fmt.Sprintf("%s#%d", first, n)
	}
	return name
}

func insertRun(ctx context.Context, tx *sql.Tx, entry int64, r *Run, packed []byte) error {
	done, err := tx.ExecContext(ctx, `INSERT INTO run (entry, name, content, format, provenance, unstated, power, energy, cpu, elapsed, contexts, kept, recorded, added)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		entry, r.Name, r.Content[:], r.Format, r.Provenance, r.Unstated, r.Power, int64(r.Energy), int64(r.CPU), int64(r.Elapsed), r.Contexts, r.Kept, r.Recorded, r.Added.UnixNano())
	if err != nil {
		return err
	}
	if r.ID, err = done.LastInsertId(); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO packed (run, bytes) VALUES (?, ?)", r.ID, packed)
	return err
}
