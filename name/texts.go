package name

// Texts are all texts of a method: its language and its parts. With the line, they restore the
// method exactly.
type Texts [10]string

// Texts returns the texts of the method.
func (m *Method) Texts() Texts {
	return Texts{m.Lang.String(), m.Scope, m.Type, m.Name, m.Signature, m.Mark, m.Module, m.File, m.label, m.short}
}

// Method returns the method with these texts and this line. ok is false if the language is unknown.
func (t *Texts) Method(line int) (m Method, ok bool) {
	m = Method{
		Scope: t[1], Type: t[2], Name: t[3], Signature: t[4], Mark: t[5], Module: t[6], File: t[7],
		Line: line, label: t[8], short: t[9],
	}
	for m.Lang < languages && m.Lang.String() != t[0] {
		m.Lang++
	}
	return m, m.Lang < languages
}
