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

// applicationID marks a database as a history. It is the text "dfph" in the file's header.
const applicationID = 0x64667068

// migrations convert a file from each version to the next. A new file has version 0. A released
// migration must never change.
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

// A Store is an open history. It is safe for concurrent use. The caller must close it.
type Store struct {
	path string
	db   *sql.DB
}

// Open opens the history at a path. If there is no file, the error is fs.ErrNotExist.
func Open(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missingError(path)
	case err != nil:
		return nil, fmt.Errorf("opening the history: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file: name the file of a history", path)
	}
	return open(ctx, path, "rw", migrations)
}

// A missingError is the error for a path without a file. It matches fs.ErrNotExist.
type missingError string

func (m missingError) Error() string {
	return fmt.Sprintf("there is no history at %s: diffprof history add creates it", string(m))
}

func (m missingError) Is(target error) bool { return target == fs.ErrNotExist }

// Create opens a history for adding. If necessary, it creates the file and its folder. A new folder
// gets a .gitignore that excludes it from git.
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
		return nil, fmt.Errorf("%s is not a file: name the file of a history", path)
	}
	// Only SQLite may open the file. If this program closed the file itself, the locks of its other
	// stores would be released.
	return open(ctx, path, "rwc", migrations)
}

// open opens a file. Mode "rwc" creates the file if necessary. A read-only file can be read in
// either mode.
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

// prepare converts the database to the latest version. steps has one conversion for each version.
func (s *Store) prepare(ctx context.Context, steps []string) error {
	version, err := s.checkVersion(ctx, len(steps))
	if err != nil || version == len(steps) {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// Meanwhile, another program may have converted the file.
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

// checkVersion returns the version of the file, or an error if this program must not write to it.
// known is the latest version that this program supports.
func (s *Store) checkVersion(ctx context.Context, known int) (version int, err error) {
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
	// During a transaction, the file's length does not change.
	info, err := os.Stat(s.path)
	switch {
	case err != nil:
		return 0, err
	case info.Size() < pages*size:
		return 0, fmt.Errorf("it is cut: it has %d of %d bytes; restore a backup", info.Size(), pages*size)
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID:
		return 0, errors.New("it is a database of another program")
	case version > known:
		return 0, fmt.Errorf("it has version %d, and this program reads versions up to %d: use the newer diffprof that wrote it", version, known)
	}
	return version, nil
}

// explain turns an error of SQLite into a message for users. doing is the operation, such as
// "reading".
func (s *Store) explain(doing string, err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case cause(err) != "":
		return fmt.Errorf("%s the history %s: %s (%w)", doing, s.path, cause(err), err)
	}
	return fmt.Errorf("%s the history %s: %w", doing, s.path, err)
}
