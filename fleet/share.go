package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// next is the first stage whose sums have not been added, or nothing.
func (f *Fleet) next() string {
	for _, name := range f.Stages() {
		if f.Sums.Get(sums.Key("stage", name)) == (sums.Row{}) {
			return name
		}
	}
	return ""
}

// Add adds the sums of a stage over all clients.
func (f *Fleet) Add(name string, t *sums.Table) {
	f.Sums.Merge(t)
	f.Sums.Add(sums.Key("stage", name), 1)
	if name != "detail" && name != "trees" {
		f.judged = nil // hogs rest on the sums of the others
	}
	if f.next() == "" {
		f.hide()
	}
}

// fits says why samples cannot be summed up for a stage.
func (f *Fleet) fits(name string, set *samples.Set) error {
	if next := f.next(); name != next {
		if next == "" {
			return fmt.Errorf("all stages are done")
		}
		return fmt.Errorf("stage %s: the sums of stage %s are missing: give the state that has them", name, next)
	}
	if name == f.Stages()[0] {
		f.mark = set.Mark
	}
	if f.mark != set.Mark {
		return errors.New("the clients are hashed with another key than in the stages before: give the same --key")
	}
	if features := slices.Sorted(slices.Values(set.Features)); !slices.Equal(features, f.Features) {
		return fmt.Errorf("the samples have the features %s, those of the stages before %s: give the same columns, --feature and --map", strings.Join(features, ", "), strings.Join(f.Features, ", "))
	}
	return nil
}

// Share returns the sums of one stage over some of the fleet's clients: those of a set. The
// sums of all earlier stages over all clients must have been added. progress may be nil.
func (f *Fleet) Share(ctx context.Context, set *samples.Set, name string, progress func(done, of int)) (*sums.Table, error) {
	make, err := f.maker(name, set)
	if err != nil {
		return nil, err
	}
	if err := f.fits(name, set); err != nil {
		return nil, err
	}
	workers := f.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, set.Parts()))
	tables, errs := []*sums.Table{}, []error{}
	var next, done atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range workers {
		group.Go(func() {
			s := make()
			w := &pairs.Work{Options: pairs.Options{Within: f.within(set), Model: set.Feature(samples.Model)}}
			if c, ok := s.(choosy); ok {
				w.Only = c.wants
			}
			var err error
			for err == nil {
				part := int(next.Add(1)) - 1
				if part >= set.Parts() {
					break
				}
				err = set.Each(ctx, part, func(c *samples.Client) error {
					w.Load(c)
					s.add(c, w)
					return nil
				})
				if progress != nil {
					progress(int(done.Add(1)), set.Parts())
				}
			}
			table := sums.New()
			if err == nil {
				s.rows(table)
				if name == f.Stages()[0] {
					left(table, w)
				}
			} else {
				cancel()
			}
			mu.Lock()
			defer mu.Unlock()
			tables, errs = append(tables, table), append(errs, err)
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	whole := sums.New()
	for _, t := range tables {
		whole.Merge(t)
	}
	if name == f.Stages()[0] {
		for what, n := range set.Counts() {
			whole.Add(sums.Key("left", what), n)
		}
	}
	return whole, nil
}

// How a share says how it is judged, beside its sums: as the parts of a key, without the marks that
// part keys and columns.
var marks = strings.NewReplacer("\t", "\x1e", "\x1f", "\x1d")
var unmark = strings.NewReplacer("\x1e", "\t", "\x1d", "\x1f")

// WriteShare writes the sums of a stage over some clients, with a row that says how they are judged.
// What is written may be added up by key before it is given to Merge.
func (f *Fleet) WriteShare(w io.Writer, name string, t *sums.Table) error {
	t.Add(sums.Key("share", name, marks.Replace(f.head())), 1)
	return t.Write(w)
}

// Merge returns a fleet with the sums of its next stage over all clients, in which WriteShare wrote
// them. state is the fleet with those of the stages before, nil for the first.
func Merge(state *Fleet, t *sums.Table) (*Fleet, error) {
	var stage, head string
	shares := 0
	t.Take("share", func(rest []string, _ *sums.Row) {
		shares++
		if len(rest) == 2 {
			stage, head = rest[0], unmark.Replace(rest[1])
		}
	})
	if head == "" {
		return nil, errors.New("these are no sums that fleet partial wrote")
	}
	if shares > 1 {
		return nil, errors.New("the sums are of several stages, or were made with different flags: make all of them with the same statement")
	}
	f, err := parseHead(head)
	if err != nil {
		return nil, err
	}
	if state != nil {
		if f.head() != state.head() {
			return nil, errors.New("the sums were made with other flags than the state: give both the same")
		}
		f = state
	}
	if next := f.next(); next != stage {
		if next == "" {
			return nil, errors.New("the state has the sums of all stages")
		}
		return nil, fmt.Errorf("the sums are of stage %s, but those of stage %s come next: give the --state that has the stages before", stage, next)
	}
	f.Add(stage, t)
	return f, nil
}
