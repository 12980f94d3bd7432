package profile

import (
	"io"

	"github.com/google/pprof/profile"
)

// Pprof writes a compressed pprof profile. A comparison has three values for each call path: the
// subject's, the reference's, and their difference. pprof shows the difference by default. A location
// has a line if the recording has it.
func Pprof(w io.Writer, p *Profile) error {
	out := &profile.Profile{Comments: append([]string{p.writer() + ": " + p.Title}, p.Notes...)}
	for i := range p.Columns {
		c := &p.Columns[i]
		out.SampleType = append(out.SampleType, &profile.ValueType{Type: c.Kind, Unit: string(c.Unit)})
	}
	out.DefaultSampleType = out.SampleType[0].Type
	if p.Comparison {
		out.SampleType = append(out.SampleType, &profile.ValueType{Type: "difference", Unit: string(p.Columns[0].Unit)})
		out.DefaultSampleType = "difference"
	}
	functions := make(map[string]*profile.Function)
	for i := range p.Frames {
		f := &p.Frames[i]
		function := functions[f.Label]
		if function == nil {
			function = &profile.Function{ID: uint64(len(out.Function)) + 1, Name: f.Name, SystemName: f.Label, Filename: f.File, StartLine: int64(f.Line)}
			functions[f.Label] = function
			out.Function = append(out.Function, function)
		}
		// The line of the declaration is not the line that ran.
		out.Location = append(out.Location, &profile.Location{ID: uint64(i) + 1, Line: []profile.Line{{Function: function, Line: int64(f.On)}}})
	}
	labels := make([]map[string][]string, len(p.Labels))
	for i, list := range p.Labels {
		labels[i] = make(map[string][]string, len(list))
		for _, l := range list {
			labels[i][l.Key] = l.Values
		}
	}
	if err := p.paths(func(node int32, path []int32) error {
		s := &profile.Sample{Location: make([]*profile.Location, len(path)), Label: labels[p.Nodes[node].Labels]}
		for i, frame := range path {
			s.Location[len(path)-1-i] = out.Location[frame]
		}
		for i := range p.Columns {
			s.Value = append(s.Value, p.Columns[i].Self[node])
		}
		if p.Comparison {
			s.Value = append(s.Value, s.Value[0]-s.Value[1])
		}
		out.Sample = append(out.Sample, s)
		return nil
	}); err != nil {
		return err
	}
	return out.Write(w)
}
