package html

import "github.com/diffprof/diffprof/report"

// A packer stores the names of methods once for all flasks of a page. Labels are most of the bytes
// of a flask, and most flasks have labels in common.
type packer struct {
	at map[string]int
	// names has the label, the short name and the Owner of each method, as in report.Methods.
	names [][3]string
}

// A packedFlask is a flask with indices of packer.names in place of labels.
type packedFlask struct {
	*report.Flask
	Labels  []int         `json:"labels"`
	Methods packedMethods `json:"methods"`
}

// packedMethods has the fields of report.FlaskMethods that packer.names lacks.
type packedMethods struct {
	// Apart omits empty texts. Its keys are indices of the flask's labels.
	Apart map[int]string `json:"apart"`
}

// A packedList is a list of methods with indices of packer.names in place of labels.
type packedList struct {
	*report.MethodList
	Labels  []int         `json:"labels"`
	Methods packedMethods `json:"methods"`
}

// pack packs a flask.
func (p *packer) pack(f *report.Flask) packedFlask {
	labels, methods := p.packNames(f.Labels, f.Methods)
	return packedFlask{f, labels, methods}
}

// packList packs a list of methods.
func (p *packer) packList(l *report.MethodList) packedList {
	labels, methods := p.packNames(l.Labels, l.Methods)
	return packedList{l, labels, methods}
}

// packNames packs labels with the names of their methods.
func (p *packer) packNames(labels []string, methods report.FlaskMethods) ([]int, packedMethods) {
	out, others := make([]int, len(labels)), packedMethods{make(map[int]string)}
	for i, label := range labels {
		at, ok := p.at[label]
		if !ok {
			at = len(p.names)
			p.at[label] = at
			p.names = append(p.names, [3]string{label, methods.Short[i], methods.Owner[i]})
		}
		out[i] = at
		if apart := methods.Distinct[i]; apart != "" {
			others.Apart[i] = apart
		}
	}
	return out, others
}
