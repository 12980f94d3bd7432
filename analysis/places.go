package analysis

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/bytecode"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// minPositions is the smallest number of positions from which to conclude that a recorder writes
// only the start of the code. If 19 of 20 positions of a recording are the first position of their
// method, the recording is treated like one without positions.
const minPositions = 20

// places maps positions in DEX code to source lines.
type places struct {
	// lines has the line of each method of a tree. It is 0 if the method is not a position, or if
	// the line is unknown.
	lines []int32
}

// line returns the line of a position.
func (p *places) line(m trace.MethodID) int32 { return p.lines[m] }

// A dexMethod is a method in a dex file. pcs is true if the method has no line table, but the
// recording has a mapping. Positions are then used as lines, as R8's mapping expects.
type dexMethod struct {
	descriptor string
	units      int
	positions  []dex.Position
	pcs        bool
}

// readPlaces finds the source lines of the positions in a tree, from the dex files of
// Options.Classpath. It adds warnings to tr. It returns an error if the class path is from another
// build of the app.
func (s *setup) readPlaces(ctx context.Context, o *opened, tr *trace.Trace, tree *cct.Tree) (*places, error) {
	p := &places{make([]int32, len(tree.Methods))}
	warn := func(format string, args ...any) {
		tr.Warnings = append(tr.Warnings, trace.Warning{Code: LinesCode, Message: fmt.Sprintf(format, args...)})
	}
	wanted, positions, first := make(map[string][]trace.MethodID), 0, 0
	for id, m := range tree.Methods {
		if unit, ok := m.Unit(); ok {
			positions++
			if unit == 0 {
				first++
			}
			wanted[m.Class()] = append(wanted[m.Class()], trace.MethodID(id))
		}
	}
	switch {
	case positions == 0:
		return p, nil
	case positions >= minPositions && first*20 >= positions*19:
		warn("the recorder stored the first instruction of each interpreted method, not the instruction that ran: there are no lines")
		return p, nil
	case len(s.options.Classpath) == 0:
		warn("the recording has %s in DEX code but no lines: give the APK of the build with --classpath", count(int64(positions), "position"))
		return p, nil
	}
	found, err := s.readDexLines(ctx, wanted, o.names != nil)
	if err != nil {
		return nil, err
	}
	known, other := 0, 0
	var example string
	for _, ids := range wanted {
		for _, id := range ids {
			m := tree.Methods[id]
			unit, _ := m.Unit()
			length := 0
			if int(id) < len(tr.CodeUnits) {
				length = int(tr.CodeUnits[id])
			}
			all := found[methodKey(m)]
			switch line, ok := lineOf(all, m.Signature, int(unit), length); {
			case ok:
				known++
				p.lines[id] = line
			case len(all) > 0:
				other++
				if text := m.OnLine(0).Label(); example == "" || text < example {
					example = text
				}
			}
		}
	}
	switch {
	case known == 0 && other == 0:
		warn("--classpath has none of the methods for which samples state a position: give the APK of the recorded build")
	case other > known:
		var names []string
		for _, path := range s.options.Classpath {
			names = append(names, filepath.Base(path))
		}
		return nil, &syntax.Error{File: o.path, Offset: -1,
			Err:  fmt.Errorf("%s is another build than the recorded one: the code of %s has another length there", strings.Join(names, ", "), example),
			Hint: "give the APK that was installed when the recording was made, or leave --classpath out"}
	case other > 0:
		warn("%s of %d have code of another length in the class path, so their lines are unknown", count(int64(other), "position"), known+other)
	}
	return p, nil
}

// A methodKey identifies all overloads of a method.
func methodKey(m name.Method) string { return m.Class() + "\x00" + m.Name }

// readDexLines reads the line tables of the methods of some classes. renamed is true if the
// recording has a mapping. A method without a line table then has its positions as lines, as ART
// reports them.
func (s *setup) readDexLines(ctx context.Context, classesOf map[string][]trace.MethodID, renamed bool) (map[string][]dexMethod, error) {
	found := make(map[string][]dexMethod)
	none := func(string) bool { return false }
	for _, path := range s.options.Classpath {
		err := classes.Visit(ctx, path, classes.Limits{}, none, func(data []byte) {
			if !bytecode.IsDex(data) {
				return
			}
			// newSetup has already warned about damaged files.
			files, _ := dex.Parse(data)
			for _, f := range files {
				readLineTables(f, classesOf, renamed, found)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readLineTables reads the line tables of a file. It skips damaged classes and methods.
func readLineTables(f *dex.File, classesOf map[string][]trace.MethodID, renamed bool, found map[string][]dexMethod) {
	members, err := f.Members()
	if err != nil {
		return
	}
	for i := range f.Classes {
		class := dex.ClassName(f.Descriptor(f.Classes[i].Type))
		if classesOf[class] == nil {
			continue
		}
		for _, m := range slices.Concat(members[i].Direct, members[i].Virtual) {
			if m.Code == 0 {
				continue
			}
			code, err := f.Code(m.Code)
			if err != nil {
				continue
			}
			id := f.Methods[m.Index]
			d := dexMethod{descriptor: f.Signature(id.Proto), units: len(code.Units)}
			if d.positions, err = f.Lines(code); err != nil {
				continue
			}
			d.pcs = len(d.positions) == 0 && renamed
			key := class + "\x00" + dex.Readable(f.Strings[id.Name])
			found[key] = append(found[key], d)
		}
	}
}

// lineOf returns the line of a position in one of the overloads of a method. length is the length
// of the code, or 0 if unknown. ok is false if no overload with this descriptor and length has the
// position. The line is 0 if several overloads have different lines there.
func lineOf(overloads []dexMethod, descriptor string, unit, length int) (line int32, ok bool) {
	for _, d := range overloads {
		if descriptor != "" && d.descriptor != descriptor || length > 0 && d.units != length || unit >= d.units {
			continue
		}
		at, _ := dex.LineAt(d.positions, unit)
		if d.pcs {
			at = unit
		}
		if ok && line != int32(at) {
			return 0, true
		}
		line, ok = int32(at), true
	}
	return line, ok
}
