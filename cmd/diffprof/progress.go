package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/diffprof/diffprof/analysis"
)

// patience is how long a run goes on in silence: a bar that flashes up and
// vanishes tells nobody anything.
const patience = time.Second

// A progress shows how far a run is. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	now   func() time.Time
	begun time.Time
	stage string
	bar   *progressbar.ProgressBar
}

// showProgress makes the reading of inputs show how far it is, if somebody
// watches; the function it returns ends that.
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

// Write passes on what a bar draws, once it is time to show one. The bars are
// there from the start, so that the rates they show are right.
func (p *progress) Write(b []byte) (int, error) {
	if p.now().Sub(p.begun) < patience {
		return len(b), nil
	}
	return p.out.Write(b)
}

// update says that a stage is done with so much of a total, 0 being unknown. It
// is an analysis.Options.Progress.
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
			// A spinner of its own would draw after the bar is gone.
			progressbar.OptionSetSpinnerChangeInterval(0),
		)
	}
	if p.bar.GetMax64() != total {
		p.bar.ChangeMax64(total)
	}
	// The only error is one of writing to the terminal, and a bar is not worth
	// failing for.
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
