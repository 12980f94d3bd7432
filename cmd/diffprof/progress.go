package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/diffprof/diffprof/analysis"
)

const (
	// patience is the time after which a bar is shown. Short runs have none.
	patience = time.Second
	// redraw is the time between two drawings.
	redraw = 100 * time.Millisecond
	// barCells is the length of the bar.
	barCells = 20
)

// A progress shows the progress of a run on one line of a terminal, and removes the line at the
// end. It shows no remaining time, because how long a matching takes cannot be predicted. It is
// safe for concurrent use.
type progress struct {
	out io.Writer
	// columns returns the width of the terminal. A longer line would wrap and could not be removed.
	columns func() int
	now     func() time.Time
	begun   time.Time

	mu    sync.Mutex
	stage string
	drawn time.Time
	// shown is the length of the line on the terminal. It is 0 if there is none.
	shown int
}

// showProgress shows the progress of a run with these options, if standard error is a terminal. It
// returns a function that removes the bar.
func showProgress(o *analysis.Options) func() {
	update, end := terminalProgress()
	if update != nil {
		o.Progress = update
	}
	return end
}

// terminalProgress returns a function that shows the progress of a stage, and a function that
// removes the bar. update is nil if standard error is not a terminal.
func terminalProgress() (update func(stage string, done, total int64), end func()) {
	if !isTerminal(os.Stderr) {
		return nil, func() {}
	}
	p := newProgress(os.Stderr, func() int {
		columns, _, err := term.GetSize(int(os.Stderr.Fd()))
		if err != nil || columns <= 0 {
			return 80
		}
		return columns
	})
	return p.update, p.close
}

func newProgress(out io.Writer, columns func() int) *progress {
	return &progress{out: out, columns: columns, now: time.Now, begun: time.Now()}
}

// update shows the progress of a stage. It has the form of analysis.Options.Progress. A total of 0
// means unknown.
func (p *progress) update(stage string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.begun) < patience || stage == p.stage && now.Sub(p.drawn) < redraw {
		return
	}
	p.stage, p.drawn = stage, now
	line := stage
	if total > 0 {
		share := min(float64(done)/float64(total), 1)
		full := int(share * barCells)
		line += fmt.Sprintf(" %3d%% |%s%s|", int(100*share), strings.Repeat("█", full), strings.Repeat(" ", barCells-full))
	}
	line += fmt.Sprintf(" %d s", int(now.Sub(p.begun).Seconds()))
	p.draw(line)
}

// draw replaces the line. It leaves the last column empty, because terminals wrap there.
func (p *progress) draw(line string) {
	cells := []rune(line)
	cells = cells[:min(len(cells), max(p.columns()-1, 0))]
	blanks := strings.Repeat(" ", max(p.shown-len(cells), 0))
	p.shown = len(cells)
	// The run continues if writing to the terminal fails.
	_, _ = fmt.Fprintf(p.out, "\r%s%s\r", string(cells), blanks)
}

// close removes the line from the terminal.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown > 0 {
		p.draw("")
	}
}
