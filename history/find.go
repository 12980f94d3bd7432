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

// A RefError says that a text names no entry, or several.
type RefError struct {
	Ref string
	// Commit is the one that git calls so, empty if there is none.
	Commit string
	// Fits are the entries that the text names, none if it is unknown.
	Fits []Entry
	// Others are the latest entries, where the text names none.
	Others []Entry
}

// mostNamed is how many entries an error names.
const mostNamed = 6

// Error names the entries that were perhaps meant.
func (e *RefError) Error() string {
	list, said := e.Fits, fmt.Sprintf("%q names %d entries; say which", e.Ref, len(e.Fits))
	if len(e.Fits) == 0 {
		list, said = e.Others, fmt.Sprintf("%q names no entry of the history; the latest are", e.Ref)
	}
	if e.Commit != "" {
		said = fmt.Sprintf("of %q, which is the commit %s, the history has no entry; the latest are", e.Ref, e.Commit[:shortCommit])
	}
	if len(list) == 0 {
		return fmt.Sprintf("%q names no entry: the history is empty", e.Ref)
	}
	var names []string
	for i := range list[:min(len(list), mostNamed)] {
		names = append(names, list[i].String())
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return said + ": " + strings.Join(names, ", ")
}

// Find returns the entry that a text names: by its number, as in #12; by four or more digits
// of its commit's hash; by its version; or by what git calls the commit in the repository that
// the file lies in, such as main. Behind an @ may stand the device, the scenario or the app that
// tell entries of one commit apart, as in 4f2c1a@startup. Behind a slash may stand the name of
// one of its runs; then the entry has that run alone. A text that names no entry, or several, is
// a *RefError.
func (s *Store) Find(ctx context.Context, ref string) (*Entry, error) {
	found, err := s.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	unknown := &RefError{Ref: ref}
	for end := len(ref); end > 0 && len(found) == 0 && unknown.Commit == ""; end = strings.LastIndexAny(ref[:end], "@/") {
		if commit, err := git.Find(ctx, filepath.Dir(s.path), ref[:end]); err == nil {
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

// find returns the entries that a text names without git.
func (s *Store) find(ctx context.Context, ref string) ([]Entry, error) {
	entries, err := s.begunBy(ctx, ref)
	if err != nil {
		return nil, err
	}
	found := named(entries, ref)
	if of, run, ok := cutLast(ref, "/"); ok && len(found) == 0 {
		found = withRun(named(entries, of), run)
	}
	return found, nil
}

// begunBy returns the entries that a text names, or begins with the name of.
func (s *Store) begunBy(ctx context.Context, ref string) (entries []Entry, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		for end := range len(ref) + 1 {
			if end < len(ref) && !strings.ContainsRune("@/", rune(ref[end])) {
				continue
			}
			of := ref[:end]
			id, _ := strconv.ParseInt(strings.TrimPrefix(of, "#"), 10, 64)
			hash := strings.ToLower(of)
			if len(hash) < leastPrefix || strings.Trim(hash, "0123456789abcdef") != "" {
				hash = "-" // which none begins with
			}
			more, err := queryEntries(ctx, tx, "WHERE id = ? OR version = ? OR hash >= ? AND hash < ?", id, of, hash, hash+"g")
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

// named returns the entries that a text names, which is of no run.
func named(entries []Entry, ref string) []Entry {
	found := filter(entries, func(e *Entry) bool { return e.is(ref) })
	if len(found) > 0 {
		return found
	}
	if of, word, ok := cutLast(ref, "@"); ok && word != "" {
		return filter(named(entries, of), func(e *Entry) bool { return word == e.Device || word == e.Scenario || word == e.App })
	}
	return nil
}

// leastPrefix is how many digits of a hash name a commit.
const leastPrefix = 4

// is says whether a text names the entry by its number, its version or its commit.
func (e *Entry) is(ref string) bool {
	if number, ok := strings.CutPrefix(ref, "#"); ok {
		id, err := strconv.ParseInt(number, 10, 64)
		return err == nil && id == e.ID
	}
	return ref != "" && ref == e.Version || len(ref) >= leastPrefix && strings.HasPrefix(e.Commit, strings.ToLower(ref))
}

// withRun returns the entries that have a run of the name, with that run alone.
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

// cutLast cuts a text at the last place of a separator.
func cutLast(text, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(text, sep); i > 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}
