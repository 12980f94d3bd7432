package fleet

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/internal/syntax"
)

// format is the first word of a fleet's file.
const format = formatName + "7"

// formatName is format without the version.
const formatName = "diffprof fleet "

// head returns the first line of a fleet's file. It has the options of the analysis.
func (f *Fleet) head() string {
	return strings.Join([]string{
		format, string(f.Method), strconv.Itoa(int(f.H)), strings.Join(f.Within, "\x1f"),
		strconv.FormatFloat(f.Rate, 'g', -1, 64), strconv.FormatFloat(f.BugRate, 'g', -1, 64),
		strconv.Itoa(f.MinClients), strings.Join(f.Features, "\x1f"), ClientKey(f.mark),
	}, "\t")
}

// Write writes a fleet as a file. The file has the options and the sums of the fleet. Equal fleets
// give equal bytes.
func (f *Fleet) Write(w io.Writer) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(z, f.head()); err != nil {
		return err
	}
	if err := f.Sums.Write(z); err != nil {
		return err
	}
	return z.Close()
}

// Open reads a file that Write wrote.
func Open(path string) (*Fleet, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := Read(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// ReadClaim returns the claim about an app from the fleet in a file. If app is empty, it searches
// names for an app of the fleet. Exactly one of them must have run on enough clients.
func ReadClaim(path, app string, names []string) (*claim.Claim, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	if app != "" {
		c, err := f.Claim(app)
		if err == nil && c == nil {
			err = NotShownError(path, app)
		}
		return c, err
	}
	var ran []string
	for _, name := range names {
		if f.Ran(name) {
			ran = append(ran, name)
		}
	}
	switch len(ran) {
	case 1:
		return f.Claim(ran[0])
	case 0:
		return nil, fmt.Errorf("no app of %s matches the recording: name the app with --fleet-app, or fleetApp in diffprof.yaml", path)
	}
	return nil, fmt.Errorf("the recording may be from %s: name the app with --fleet-app, or fleetApp in diffprof.yaml", strings.Join(ran, " or "))
}

// NotShownError returns the error for an app that too few clients of a fleet ran. A client counts
// only if two consecutive samples can show the app.
func NotShownError(path, app string) error {
	return fmt.Errorf("fewer than %d clients of %s have two samples in a row with %s", MinGroup, path, app)
}

// Read reads a fleet that Write wrote.
func Read(r io.Reader) (*Fleet, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	b := bufio.NewReaderSize(z, 1<<20)
	line, err := b.ReadSlice('\n')
	if err != nil {
		return nil, errOther
	}
	f, err := parseHead(strings.TrimSuffix(string(line), "\n"))
	if err != nil {
		return nil, err
	}
	return f, f.Sums.Read(b)
}

// errOther is the error for a file that is not a fleet.
var errOther = &syntax.Error{Offset: -1, Err: errors.New("this is not a fleet that diffprof wrote"), Hint: "diffprof fleet analyze DIR -o FILE makes one"}

// errVersion is the error for a file of another version.
var errVersion = &syntax.Error{Offset: -1, Err: errors.New("another version of diffprof wrote this fleet"), Hint: "diffprof fleet analyze makes it again from the samples"}

// parseHead parses the first line of a fleet's file. The fleet that it returns has no sums yet.
func parseHead(line string) (*Fleet, error) {
	head := strings.Split(line, "\t")
	if strings.HasPrefix(head[0], formatName) && head[0] != format {
		return nil, errVersion
	}
	if len(head) != 9 || head[0] != format {
		return nil, errOther
	}
	o := Options{Method: Method(head[1]), Within: parts(head[3])}
	h, err1 := strconv.Atoi(head[2])
	rate, err2 := strconv.ParseFloat(head[4], 64)
	bugRate, err3 := strconv.ParseFloat(head[5], 64)
	minClients, err4 := strconv.Atoi(head[6])
	mark, err5 := strconv.ParseUint(head[8], 16, 64)
	o.H, o.Rate, o.BugRate, o.MinClients = paper.H(h), rate, bugRate, minClients
	f, err6 := New(o, parts(head[7]))
	if err := cmp.Or(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, &syntax.Error{Line: 1, Offset: -1, Err: err, Hint: "make the file again"}
	}
	f.mark = samples.ID(mark)
	return f, nil
}

// parts returns the elements of a list.
func parts(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x1f")
}
