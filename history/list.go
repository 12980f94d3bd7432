package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/history/run"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// List returns the entries that match a filter, sorted by the times of their commits, and then by
// the times at which they were created.
func (s *Store) List(ctx context.Context, f Filter) ([]Entry, error) {
	var entries []Entry
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		entries, err = queryEntries(ctx, tx, "")
		return err
	})
	if err != nil {
		return nil, s.explain("reading", err)
	}
	return slices.DeleteFunc(entries, func(e Entry) bool { return !f.fits(&e) }), nil
}

// Load returns a run with its tree. Each call returns a separate copy of the tree.
func (s *Store) Load(ctx context.Context, r Run) (*analysis.StoredRun, error) {
	packed, err := s.packed(ctx, r)
	if err != nil {
		return nil, err
	}
	k, err := run.Unpack(packed)
	if err == nil && k.Content != r.Content {
		err = errors.New("it has another run in its place")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the run %s from the history %s: %w", r.Name, s.path, err)
	}
	k.Input.Path = r.Name
	return k, nil
}

// packed returns the stored bytes of a run.
func (s *Store) packed(ctx context.Context, r Run) (packed []byte, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT bytes FROM packed WHERE run = ?", r.ID).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("the run %s was removed", r.Name)
	}
	return packed, s.explain("reading", err)
}

// read calls the function do in a transaction, so that all its queries see the same state.
func (s *Store) read(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(do(tx), tx.Rollback())
}

// queryEntries returns the entries that satisfy an SQL condition, with their runs.
func queryEntries(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]Entry, error) {
	var entries []Entry
	at := make(map[int64]int)
	err := each(ctx, tx, "SELECT id, hash, parents, version, app, device, scenario, time, added FROM entry "+where+" ORDER BY time, id", args,
		func(scan func(...any) error) error {
			var e Entry
			var parents string
			var moment, added int64
			if err := scan(&e.ID, &e.Commit, &parents, &e.Version, &e.App, &e.Device, &e.Scenario, &moment, &added); err != nil {
				return err
			}
			e.Parents, e.Time, e.Added = strings.Fields(parents), time.Unix(0, moment), time.Unix(0, added)
			at[e.ID] = len(entries)
			entries = append(entries, e)
			return nil
		})
	if err != nil {
		return nil, err
	}
	in := ""
	if where != "" {
		in = "WHERE entry IN (SELECT id FROM entry " + where + ")"
	}
	err = each(ctx, tx, "SELECT entry, id, name, content, format, provenance, unstated, power, energy, cpu, elapsed, contexts, kept, recorded, added FROM run "+in+" ORDER BY id", args,
		func(scan func(...any) error) error {
			var entry, energy, cpu, elapsed, added int64
			var r Run
			var content []byte
			var provenance uint8
			if err := scan(&entry, &r.ID, &r.Name, &content, &r.Format, &provenance, &r.Unstated, &r.Power, &energy, &cpu, &elapsed, &r.Contexts, &r.Kept, &r.Recorded, &added); err != nil {
				return err
			}
			i, ok := at[entry]
			if !ok || copy(r.Content[:], content) != len(content) || len(content) != len(r.Content) {
				return fmt.Errorf("the run %d is damaged", r.ID)
			}
			r.Provenance, r.Energy = trace.Provenance(provenance), units.Energy(energy)
			r.CPU, r.Elapsed, r.Added = time.Duration(cpu), time.Duration(elapsed), time.Unix(0, added)
			entries[i].Runs = append(entries[i].Runs, r)
			return nil
		})
	return entries, err
}

// each calls f for each row that a query returns.
func each(ctx context.Context, tx *sql.Tx, query string, args []any, f func(scan func(...any) error) error) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
