package dex

// A Damage is a change of the code of a method of the sample, for tests that run the code.
type Damage struct {
	Name, Method string
	Change       func(b *Body) bool
}

// Damages returns the changes that the verifier must detect.
func Damages() (all []Damage) {
	for _, d := range damages {
		all = append(all, Damage{d.name, d.method, d.change})
	}
	return all
}
