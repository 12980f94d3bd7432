package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/diffprof/diffprof/analysis"
)

// patience is the time before a bar is shown. A bar that vanishes at once is of no use.
const patience = time.Second

// A progress shows on a terminal how far a run is. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	begun time.Time
	stage string
	bar   *progressbar.ProgressBar
}

// showProgress shows the progress of a run with the given options, if standard error is
// a terminal. The function that it returns removes the bar.
func showProgress(o *analysis.Options) func() {
	if !isTerminal(os.Stderr) {
		return func() {}
	}
	p := newProgress(os.Stderr)
	o.Progress = p.update
	return p.close
}

func newProgress(out io.Writer) *progress {
	return &progress{out: out, now: time.Now, begun: time.Now()}
}

// Write passes on what a bar draws, once patience is over. Bars exist from the start, so
// that the rates they show are right.
func (p *progress) Write(b []byte) (int, error) {
	if p.now().Sub(p.begun) < patience {
		return len(b), nil
	}
	return p.out.Write(b)
}

// update shows how far a stage is; a total of 0 is unknown. It is an
// analysis.Options.Progress.
func (p *progress) update(stage string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total <= 0 {
		total = -1
	}
	if p.bar == nil || p.stage != stage {
		p.clear()
		p.stage = stage
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p),
			progressbar.OptionSetDescription(stage),
			progressbar.OptionShowBytes(stage == "reading"),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(total > 0),
			progressbar.OptionUseIECUnits(true),
			// The bar's own spinner would go on drawing after the bar is removed.
			progressbar.OptionSetSpinnerChangeInterval(0),
		)
	}
	if p.bar.GetMax64() != total {
		p.bar.ChangeMax64(total)
	}
	// An error of writing to the terminal is no reason to end the run.
	_ = p.bar.Set64(done)
}

// close removes the bar from the terminal.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
