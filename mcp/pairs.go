package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
)

// A pairArgs names the two sides of a comparison. If all fields are empty, the pair is the one in
// diffprof.yaml.
type pairArgs struct {
	Subject   []string `json:"subject,omitempty" jsonschema:"recordings of the new version or the app: files, patterns, folders of runs, or history:COMMIT; without it the pair of diffprof.yaml is compared"`
	Reference []string `json:"reference,omitempty" jsonschema:"recordings of the old version or the other app"`
	Pair      string   `json:"pair,omitempty" jsonschema:"name of a pair in diffprof.yaml"`
}

// A comparison is a finished comparison. It is immutable.
type comparison struct {
	// id names the comparison in cursors.
	id       string
	settings settings.Settings
	// set has the findings without ignored rows. made is the report of set, with all rows.
	set  *finding.Set
	made *report.Report
	rows []row
	// methods are the methods of both runs by label, as in finding.Set.Recorded.
	methods map[string]name.Method
}

// maxKept limits the number of finished comparisons in memory.
const maxKept = 2

// pairs has the running comparisons and the latest finished comparisons. It is safe for concurrent
// use.
type pairs struct {
	mu   sync.Mutex
	list []*pending
	made int
}

// A pending comparison is a running or a finished comparison.
type pending struct {
	settings settings.Settings
	stamps   []stamp
	id       string
	// done is closed at the end of the comparison. result or err is set before.
	done   chan struct{}
	result *comparison
	err    error
	// waiting counts the callers that wait. If no caller waits any more, the comparison is
	// cancelled.
	waiting int
	cancel  context.CancelFunc
}

// A stamp identifies the content of a file without reading it.
type stamp struct {
	path string
	size int64
	time time.Time
}

// stamps returns the stamps of the files that a comparison reads.
func stamps(s *settings.Settings) []stamp {
	var all []stamp
	for _, path := range append(s.Files(), s.SettingsFile) {
		at := stamp{path: path}
		if info, err := os.Stat(path); err == nil {
			at.size, at.time = info.Size(), info.ModTime()
		}
		all = append(all, at)
	}
	return all
}

// get returns the comparison with these settings. It returns a finished comparison if no file
// changed. Otherwise it joins a running comparison, or starts a new one.
func (p *pairs) get(ctx context.Context, s settings.Settings, compare func(ctx context.Context, id string) (*comparison, error)) (*comparison, error) {
	now := stamps(&s)
	p.mu.Lock()
	i := slices.IndexFunc(p.list, func(c *pending) bool {
		return slices.Equal(c.stamps, now) && reflect.DeepEqual(c.settings, s)
	})
	var c *pending
	if i >= 0 {
		c = p.list[i]
		p.list = append(slices.Delete(p.list, i, i+1), c)
	} else {
		p.made++
		c = &pending{settings: s, stamps: now, id: strconv.Itoa(p.made), done: make(chan struct{})}
		var running context.Context
		// Another caller may still wait when this caller leaves, so the comparison does not depend
		// on ctx.
		running, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
		p.list = append(p.list, c)
		go p.run(running, c, compare)
	}
	c.waiting++
	p.mu.Unlock()
	defer p.endWait(c)
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run makes a comparison. A failed comparison is removed, so the next request tries again.
func (p *pairs) run(ctx context.Context, c *pending, compare func(context.Context, string) (*comparison, error)) {
	defer c.cancel()
	c.err = guard("comparing", func() (err error) {
		c.result, err = compare(ctx, c.id)
		return err
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.err != nil {
		p.drop(c)
	}
	close(c.done)
	p.evict()
}

// endWait ends the wait of a caller.
func (p *pairs) endWait(c *pending) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.waiting--
	if c.waiting > 0 || c.finished() {
		return
	}
	c.cancel()
	p.drop(c)
}

func (c *pending) finished() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// drop removes a comparison from the list.
func (p *pairs) drop(c *pending) {
	p.list = slices.DeleteFunc(p.list, func(other *pending) bool { return other == c })
}

// evict removes the finished comparisons that were used least recently.
func (p *pairs) evict() {
	finished := 0
	for i := len(p.list) - 1; i >= 0; i-- {
		if !p.list[i].finished() {
			continue
		}
		if finished++; finished > maxKept {
			p.list = slices.Delete(p.list, i, i+1)
		}
	}
}

// compared returns the comparison that a client names.
func (s *Server) compared(ctx context.Context, a pairArgs) (*comparison, error) {
	o, err := s.o.Source.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if o, err = s.pair(ctx, o, a); err != nil {
		return nil, err
	}
	if s.o.Source.Live != nil {
		set, err := s.o.Source.Live(ctx, o)
		if err != nil || set != nil {
			return s.live.comparison(o, set, s.o.Version), err
		}
	}
	return s.pairs.get(ctx, o, func(ctx context.Context, id string) (*comparison, error) {
		o := o
		o.Progress = progressOf(ctx)
		set, err := s.o.Source.Compare(ctx, o)
		if err != nil {
			return nil, err
		}
		return newComparison(id, o, set, s.o.Version), nil
	})
}

// shownCache caches the comparison that an editor shows. It is safe for concurrent use.
type shownCache struct {
	mu     sync.Mutex
	number int
	set    *finding.Set
	last   *comparison
}

// comparison returns the comparison of a set. It returns nil if set is nil.
func (v *shownCache) comparison(o settings.Settings, set *finding.Set, version string) *comparison {
	if set == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.set != set || !reflect.DeepEqual(v.last.settings, o) {
		v.number++
		v.set, v.last = set, newComparison("live"+strconv.Itoa(v.number), o, set, version)
	}
	return v.last
}

// pair returns the settings with the sides that a client names.
func (s *Server) pair(ctx context.Context, o settings.Settings, a pairArgs) (settings.Settings, error) {
	switch {
	case a.Pair != "" && len(a.Subject)+len(a.Reference) > 0:
		return o, errors.New("pair names both sides: leave subject and reference out")
	case (len(a.Subject) == 0) != (len(a.Reference) == 0):
		return o, errors.New("a comparison has two sides: give both subject and reference, or neither")
	}
	if len(a.Subject) == 0 {
		if a.Pair != "" {
			o.Pair = a.Pair
		}
		chosen, err := o.Selected()
		if err != nil {
			return o, err
		}
		if chosen.Subject.Path == "" || chosen.Reference.Path == "" {
			return o, noPair(o.SettingsFile)
		}
		return chosen, nil
	}
	subject, err := s.files.runs(ctx, &o, a.Subject...)
	if err != nil {
		return o, fmt.Errorf("subject: %w", err)
	}
	reference, err := s.files.runs(ctx, &o, a.Reference...)
	if err != nil {
		return o, fmt.Errorf("reference: %w", err)
	}
	// The flows and signals in the settings belong to the recording in the settings.
	if o.Subject.Path != subject[0] {
		o.Subject.Flows, o.Subject.With = "", nil
	}
	if o.Reference.Path != reference[0] {
		o.Reference.Flows, o.Reference.With = "", nil
	}
	o.Subject.Path, o.Subject.Repeats = subject[0], subject[1:]
	o.Reference.Path, o.Reference.Repeats = reference[0], reference[1:]
	return o, nil
}

// noPair returns the error for a request without a pair if the settings file has no pair.
func noPair(file string) error {
	if file == "" {
		return fmt.Errorf("there is no %s in this folder: give subject and reference, or write one with a pair of recordings", settings.FileName)
	}
	return fmt.Errorf("%s names no pair of recordings: give subject and reference, or add both to it", clean(file))
}
