package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/history/git"
)

// A RefError is the error for a text that does not refer to exactly one entry.
type RefError struct {
	Ref string
	// Commit is the commit that git finds for the text, or "".
	Commit string
	// Fits has the entries to which the text may refer.
	Fits []Entry
	// Others has the latest entries. It is set only if Fits is empty.
	Others []Entry
}

// maxNamed is the maximum number of entries in an error message.
const maxNamed = 6

// Error lists the entries that the user may have meant.
func (e *RefError) Error() string {
	list, message := e.Fits, fmt.Sprintf("%q matches %d entries; choose one", e.Ref, len(e.Fits))
	if len(e.Fits) == 0 {
		list, message = e.Others, fmt.Sprintf("%q matches no entry of the history; the latest entries are", e.Ref)
	}
	if e.Commit != "" {
		message = fmt.Sprintf("the history has no entry for %q (commit %s); the latest entries are", e.Ref, e.Commit[:shortCommit])
	}
	if len(list) == 0 {
		return fmt.Sprintf("%q matches no entry: the history is empty", e.Ref)
	}
	var names []string
	for i := range list[:min(len(list), maxNamed)] {
		names = append(names, list[i].String())
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return message + ": " + strings.Join(names, ", ")
}

// Find returns the entry to which a text refers. The text may be:
//
//   - the number of the entry, as in #12;
//   - at least four digits of the hash of its commit;
//   - its version;
//   - a name that git knows, such as main. git searches in the repository of the working folder, or
//     else in that of the history's file.
//
// An @ with the device, the scenario or the app may follow. It selects one of several entries of a
// commit, as in 4f2c1a@startup. A slash with the name of a run may follow. The returned entry then
// has only this run. If no entry or several entries match, the error is a *RefError.
func (s *Store) Find(ctx context.Context, ref string) (*Entry, error) {
	found, err := s.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	unknown := &RefError{Ref: ref}
	for end := len(ref); end > 0 && len(found) == 0 && unknown.Commit == ""; end = strings.LastIndexAny(ref[:end], "@/") {
		commit, err := git.Find(ctx, ".", ref[:end])
		if err != nil {
			commit, err = git.Find(ctx, filepath.Dir(s.path), ref[:end])
		}
		if err == nil {
			unknown.Commit = commit.Hash
			if found, err = s.find(ctx, commit.Hash+ref[end:]); err != nil {
				return nil, err
			}
		}
	}
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		if unknown.Others, err = s.List(ctx, Filter{}); err != nil {
			return nil, err
		}
		slices.Reverse(unknown.Others)
		return nil, unknown
	}
	return nil, &RefError{Ref: ref, Fits: found}
}

// find returns the entries that match a text, without asking git.
func (s *Store) find(ctx context.Context, ref string) ([]Entry, error) {
	entries, err := s.withPrefix(ctx, ref)
	if err != nil {
		return nil, err
	}
	found := named(entries, ref)
	if app, run, ok := cutLast(ref, "/"); ok && len(found) == 0 {
		found = withRun(named(entries, app), run)
	}
	return found, nil
}

// withPrefix returns candidates for find: the entries to which the text, or its part before an @ or
// a slash, can refer.
func (s *Store) withPrefix(ctx context.Context, ref string) (entries []Entry, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		for end := range len(ref) + 1 {
			if end < len(ref) && !strings.ContainsRune("@/", rune(ref[end])) {
				continue
			}
			word := ref[:end]
			id, _ := strconv.ParseInt(strings.TrimPrefix(word, "#"), 10, 64)
			hash := strings.ToLower(word)
			if len(hash) < minPrefix || strings.Trim(hash, "0123456789abcdef") != "" {
				hash = "-" // No hash begins with this text.
			}
			more, err := queryEntries(ctx, tx, "WHERE id = ? OR version = ? OR hash >= ? AND hash < ?", id, word, hash, hash+"g")
			if err != nil {
				return err
			}
			entries = append(entries, more...)
		}
		return nil
	})
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	return slices.CompactFunc(entries, func(a, b Entry) bool { return a.ID == b.ID }), s.explain("reading", err)
}

// named returns the entries that match a text such as 4f2c1a@startup, which does not name a run.
func named(entries []Entry, ref string) []Entry {
	found := filter(entries, func(e *Entry) bool { return e.is(ref) })
	if len(found) > 0 {
		return found
	}
	if app, word, ok := cutLast(ref, "@"); ok && word != "" {
		return filter(named(entries, app), func(e *Entry) bool { return word == e.Device || word == e.Scenario || word == e.App })
	}
	return nil
}

// minPrefix is the minimum number of digits by which a hash may be abbreviated.
const minPrefix = 4

// is reports whether a text is the number, the version or the commit hash of the entry.
func (e *Entry) is(ref string) bool {
	if number, ok := strings.CutPrefix(ref, "#"); ok {
		id, err := strconv.ParseInt(number, 10, 64)
		return err == nil && id == e.ID
	}
	return ref != "" && ref == e.Version || len(ref) >= minPrefix && strings.HasPrefix(e.Commit, strings.ToLower(ref))
}

// withRun returns the entries that have a run with the given name. Each has only this run.
func withRun(entries []Entry, run string) []Entry {
	var found []Entry
	for _, e := range entries {
		if i := slices.IndexFunc(e.Runs, func(r Run) bool { return r.Name == run }); i >= 0 {
			e.Runs = e.Runs[i : i+1]
			found = append(found, e)
		}
	}
	return found
}

func filter(entries []Entry, keep func(*Entry) bool) []Entry {
	var kept []Entry
	for i := range entries {
		if keep(&entries[i]) {
			kept = append(kept, entries[i])
		}
	}
	return kept
}

// cutLast cuts a text around the last separator.
func cutLast(text, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(text, sep); i > 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}
