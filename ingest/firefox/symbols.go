package firefox

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/program"
	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A library is a program or a library in whose code samples were taken.
type library struct {
	path string
	// buildID is the build id of the file in hexadecimal. debugID has the 32 digits by which symbol
	// servers identify a build. Either may be empty.
	buildID, debugID string
}

// libraries reads the list of libraries.
func (b *budget) libraries(to *[]library) error {
	return b.in.Elements(func() error {
		if err := b.count(); err != nil {
			return err
		}
		var l library
		err := b.in.Members(func(name []byte) error {
			var field *string
			switch string(name) {
			case "path":
				field = &l.path
			case "codeId":
				field = &l.buildID
			case "breakpadId":
				field = &l.debugID
			default:
				return b.in.Skip()
			}
			if b.in.Is('n') {
				return b.in.Skip()
			}
			var err error
			*field, err = b.in.Name()
			return err
		})
		l.debugID = debugID(l.debugID)
		l.path = name.Slashed(l.path)
		*to = append(*to, l)
		return err
	})
}

// debugID normalizes a build's debug id to 32 digits. Tools write it with or without hyphens, and
// append a number.
func debugID(text string) string {
	digits := strings.ToUpper(strings.ReplaceAll(text, "-", ""))
	return digits[:min(len(digits), 32)]
}

// symbols names functions that a profile states only by an address in a library.
type symbols struct {
	// files has programs and libraries, or is nil. programs has the programs opened so far, by
	// path. A program is nil if its file was not found.
	files    fs.FS
	programs map[string]*program.Program
	problems []string
	// sources has the source file of each method with known lines.
	sources map[trace.MethodID]string
	// listed has the functions in the list that samply wrote, by debug id and address.
	listed map[string]map[int64]string
	// all counts the frames of stacks. unnamed counts the frames without a name, by library path.
	all     int64
	unnamed map[string]int64
}

// find returns the functions at an address of a library, the innermost first. There are several if
// calls were inlined, and none if the function is unknown.
func (s *symbols) find(names *stacks.Table, l *library, address int64) []stacks.Code {
	if address < 0 {
		return nil
	}
	if p := s.program(l); p != nil {
		at := p.Base + uint64(address)
		symbol := program.Find(p.Symbols, at)
		var out []stacks.Code
		for i, f := range p.Frames(at) {
			function := cmp.Or(f.Function, stacks.Unknown)
			if i == 0 && symbol != nil {
				function = symbol.Name
			}
			c := names.Function(l.path, function)
			c.Line = int32(min(f.Line, math.MaxInt32))
			if _, ok := s.sources[c.Method]; !ok && f.File != "" {
				if s.sources == nil {
					s.sources = make(map[trace.MethodID]string)
				}
				s.sources[c.Method] = strings.ToValidUTF8(f.File, "\uFFFD")
			}
			out = append(out, c)
		}
		if len(out) == 0 && symbol != nil {
			out = append(out, names.Function(l.path, symbol.Name))
		}
		if len(out) > 0 {
			slices.Reverse(out)
			return out
		}
	}
	if name := s.listed[l.debugID][address]; name != "" {
		return []stacks.Code{names.Function(l.path, name)}
	}
	return nil
}

// program returns the program of a library. It returns nil if there is none.
func (s *symbols) program(l *library) *program.Program {
	if s.files == nil || l.path == "" {
		return nil
	}
	p, ok := s.programs[l.path]
	if !ok {
		// Systems other than Linux have ids of another form.
		id, err := hex.DecodeString(l.buildID)
		if err != nil {
			id = nil
		}
		if p, err = program.Open(s.files, l.path, string(id)); err != nil {
			s.problems = append(s.problems, fmt.Sprintf("%s (%v)", path.Base(l.path), err))
		}
		if s.programs == nil {
			s.programs = make(map[string]*program.Program)
		}
		s.programs[l.path] = p
	}
	return p
}

// list reads the list of functions that samply wrote (samply record --unstable-presymbolicate). It
// ignores the lines, because a line in the list holds for only one address of its function.
func (s *symbols) list(r io.Reader) error {
	b := &budget{in: document.NewReader(r)}
	var texts []string
	var builds []build
	err := b.in.Members(func(name []byte) error {
		switch string(name) {
		case "string_table":
			return b.in.Elements(func() error {
				text, err := b.in.Name()
				texts = append(texts, text)
				return errors.Join(err, b.count())
			})
		case "data":
			return b.in.Elements(func() error {
				var l build
				err := b.build(&l)
				builds = append(builds, l)
				return errors.Join(err, b.count())
			})
		}
		return b.in.Skip()
	})
	if err != nil {
		return err
	}
	s.listed = make(map[string]map[int64]string)
	for _, l := range builds {
		known := make(map[int64]string, len(l.address))
		for i, at := range l.address {
			if n := l.name.at(l.symbol[i]); n >= 0 && n < int64(len(texts)) {
				known[at] = texts[n]
			}
		}
		if l.debugID != "" {
			s.listed[l.debugID] = known
		}
	}
	if len(s.listed) == 0 {
		return errors.New("it lists no library")
	}
	return nil
}

// A build is a library in samply's list. The function at address[i] has the symbol number
// symbol[i]. The array name has, for each symbol, the index of its name in the table of texts.
type build struct {
	debugID               string
	name, address, symbol column
}

// build reads a library in samply's list.
func (b *budget) build(to *build) error {
	return b.in.Members(func(name []byte) error {
		switch string(name) {
		case "debug_id":
			id, err := b.in.Name()
			to.debugID = debugID(id)
			return err
		case "symbol_table":
			return b.in.Elements(func() error {
				var symbol column
				err := b.in.Members(func(name []byte) error {
					if string(name) == "symbol" {
						return b.cell(&field{to: &symbol, by: 1})
					}
					return b.in.Skip()
				})
				to.name = append(to.name, symbol.at(0))
				return errors.Join(err, b.count())
			})
		case "known_addresses":
			return b.in.Elements(func() error {
				var pair column
				err := b.in.Elements(func() error { return b.cell(&field{to: &pair, by: 1}) })
				to.address, to.symbol = append(to.address, pair.at(0)), append(to.symbol, pair.at(1))
				return errors.Join(err, b.count())
			})
		}
		return b.in.Skip()
	})
}

// count counts a frame. It also counts whether the frame has a name.
func (s *symbols) count(f *frame) {
	s.all++
	if f.unnamed != nil {
		if s.unnamed == nil {
			s.unnamed = make(map[string]int64)
		}
		s.unnamed[f.unnamed.path]++
	}
}

// warnings returns warnings about frames without a function name.
func (s *symbols) warnings() []trace.Warning {
	var out []trace.Warning
	if len(s.problems) > 0 {
		out = append(out, trace.Warning{Code: "symfs", Message: "no functions are known of some files in --symfs: " + stacks.ListProblems(s.problems)})
	}
	if sum, names := stacks.WithoutName(s.unnamed); sum > 0 {
		out = append(out, trace.Warning{
			Code: "no-symbols",
			Message: trace.Counted("%d of %d frames {has|have} no function name, in %s; use --symfs with the folder of these files (/ for this machine), "+
				"or record with samply's option --unstable-presymbolicate", sum, s.all, names),
		})
	}
	return out
}
