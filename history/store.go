package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
)

// applicationID marks a database as a history: "dfph" in the file's head.
const applicationID = 0x64667068

// migrations bring a file from a version to the next one; a new file is of version 0. A
// version that was released does not change any more.
var migrations = []string{`
CREATE TABLE entry (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	hash     TEXT NOT NULL, -- of the commit, empty if unknown
	parents  TEXT NOT NULL, -- hashes, with spaces between them
	version  TEXT NOT NULL,
	app      TEXT NOT NULL,
	device   TEXT NOT NULL,
	scenario TEXT NOT NULL,
	time     INTEGER NOT NULL, -- of the commit, in nanoseconds since 1970
	added    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entry_key ON entry (hash, app, device, scenario, CASE hash WHEN '' THEN version ELSE '' END);
CREATE TABLE run (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	entry      INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
	name       TEXT NOT NULL,
	content    BLOB NOT NULL UNIQUE,
	format     TEXT NOT NULL,
	provenance INTEGER NOT NULL,
	unstated   INTEGER NOT NULL,
	power      TEXT NOT NULL,
	energy     INTEGER NOT NULL, -- in nanojoules
	cpu        INTEGER NOT NULL, -- in nanoseconds
	elapsed    INTEGER NOT NULL,
	contexts   INTEGER NOT NULL,
	kept       INTEGER NOT NULL, -- bytes
	recorded   INTEGER NOT NULL,
	added      INTEGER NOT NULL,
	UNIQUE (entry, name)
) STRICT;
CREATE TABLE packed ( -- apart from run, so that a list does not read it
	run   INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
	bytes BLOB NOT NULL
) STRICT;
`}

// A Store is an open history. It may be used by several goroutines at once. Close it after
// use.
type Store struct {
	path string
	db   *sql.DB
}

// Open opens the history at a path. A path without a file is an fs.ErrNotExist.
func Open(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(path)
	case err != nil:
		return nil, fmt.Errorf("opening the history: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file: name the file of a history", path)
	}
	return open(ctx, path, "rw", migrations)
}

// missing is the error for a path that has no file; it is an fs.ErrNotExist.
type missing string

func (m missing) Error() string {
	return fmt.Sprintf("there is no history at %s: diffprof history add makes it", string(m))
}

func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// Create is Open for a history that is to be added to: it makes the file and its folder if
// they are not there. A new folder has a file that keeps it out of git.
func Create(ctx context.Context, path string) (*Store, error) {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, fmt.Errorf("making the folder of the history: %w", err)
		}
		if err := os.WriteFile(filepath.Join(folder, ".gitignore"), []byte("*\n"), 0o666); err != nil {
			return nil, fmt.Errorf("making the folder of the history: %w", err)
		}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file: name the file of a history", path)
	}
	// Nobody but SQLite opens the file: closing it would end the locks that other stores of this
	// program have on it.
	return open(ctx, path, "rwc", migrations)
}

// open opens a file, which mode "rwc" makes if it is not there. With either mode a file that may
// only be read is read.
func open(ctx context.Context, path, mode string, steps []string) (*Store, error) {
	query := url.Values{
		"mode": {mode},
		"_pragma": {
			"busy_timeout(" + strconv.FormatInt(Patience.Milliseconds(), 10) + ")", "foreign_keys(1)", "synchronous(EXTRA)", "trusted_schema(0)", "cell_size_check(1)",
		},
		"_txlock":    {"immediate"},
		"_defensive": {"1"},
	}
	where := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.ToSlash(path)), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", where.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db}
	if err := s.prepare(ctx, steps); err != nil {
		return nil, errors.Join(s.explain("opening", err), db.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// prepare brings the file to the version that the last of the steps leads to.
func (s *Store) prepare(ctx context.Context, steps []string) error {
	version, err := s.look(ctx, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Another program may have done it meanwhile.
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	for _, step := range steps[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(steps))); err != nil {
		return err
	}
	return tx.Commit()
}

// look returns the version of the file, or an error if it is none that this program, which
// knows versions up to known, may write to.
func (s *Store) look(ctx context.Context, known int) (version int, err error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var id, tables, pages, size int64
	for query, to := range map[string]any{
		"PRAGMA application_id": &id, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_schema": &tables,
		"PRAGMA page_count": &pages, "PRAGMA page_size": &size,
	} {
		if err := tx.QueryRowContext(ctx, query).Scan(to); err != nil {
			return 0, err
		}
	}
	// Nobody changes the file's length while it is being read.
	info, err := os.Stat(s.path)
	switch {
	case err != nil:
		return 0, err
	case info.Size() < pages*size:
		return 0, fmt.Errorf("it is cut: %d bytes of %d are there; take a copy of it", info.Size(), pages*size)
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID:
		return 0, errors.New("it is a database of something else")
	case version > known:
		return 0, fmt.Errorf("it is of version %d, and this program knows versions up to %d: a newer diffprof wrote it, which reads it", version, known)
	}
	return version, nil
}

// explain says in words of people what SQLite's error means; doing is what was done.
func (s *Store) explain(doing string, err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case cause(err) != "":
		return fmt.Errorf("%s the history %s: %s (%w)", doing, s.path, cause(err), err)
	}
	return fmt.Errorf("%s the history %s: %w", doing, s.path, err)
}
