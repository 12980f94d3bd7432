package html

import "github.com/diffprof/diffprof/report"

// A packer writes the names of methods once for all flasks of a page: most flasks
// have labels in common, and labels are most of what a flask is made of.
type packer struct {
	at map[string]int
	// names has the label, the short name and its owner.
	names [][3]string
}

// A packedFlask is a flask whose labels are indices of a packer's names.
type packedFlask struct {
	*report.Flask
	Labels  []int         `json:"labels"`
	Methods packedMethods `json:"methods"`
}

// packedMethods has what of report.FlaskMethods is not in a packer's names.
type packedMethods struct {
	// Apart leaves out what is empty; its keys are indices of the flask's labels.
	Apart map[int]string `json:"apart"`
}

// pack packs a flask.
func (p *packer) pack(f *report.Flask) packedFlask {
	out := packedFlask{f, make([]int, len(f.Labels)), packedMethods{make(map[int]string)}}
	for i, label := range f.Labels {
		at, ok := p.at[label]
		if !ok {
			at = len(p.names)
			p.at[label] = at
			p.names = append(p.names, [3]string{label, f.Methods.Short[i], f.Methods.Owner[i]})
		}
		out.Labels[i] = at
		if apart := f.Methods.Apart[i]; apart != "" {
			out.Methods.Apart[i] = apart
		}
	}
	return out
}
