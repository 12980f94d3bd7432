package profile

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// Folded writes folded stacks: one line per call path, with the profile's first value. Each line of
// a comparison has the reference's value and then the subject's, as in FlameGraph's difffolded.pl.
func Folded(w io.Writer, p *Profile) error {
	names := make([]string, len(p.Frames))
	for i := range p.Frames {
		names[i] = oneFrame(p.Frames[i])
	}
	out := bufio.NewWriter(w)
	if err := p.paths(func(node int32, path []int32) error {
		values := []int64{p.Columns[0].Self[node]}
		if p.Comparison {
			values = []int64{p.Columns[1].Self[node], p.Columns[0].Self[node]}
		} else if values[0] == 0 {
			return nil
		}
		for i, frame := range path {
			if i > 0 {
				out.WriteByte(';')
			}
			out.WriteString(names[frame])
		}
		for _, v := range values {
			out.WriteByte(' ')
			out.WriteString(strconv.FormatInt(v, 10))
		}
		return out.WriteByte('\n')
	}); err != nil {
		return err
	}
	return out.Flush()
}

// oneFrame returns a frame's name without semicolons, which separate frames.
func oneFrame(f Frame) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == '\u2028' {
			return ' '
		}
		return r
	}, strings.TrimSpace(f.Name))
	if strings.HasPrefix(name, "#") {
		name = "_" + name // "#" begins a comment
	}
	return strings.ReplaceAll(name, ";", ",")
}
