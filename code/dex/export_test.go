package dex

// A Damage changes the code of a method of the sample, for tests that run it.
type Damage struct {
	Name, Method string
	Change       func(b *Body) bool
}

// Damages returns the changes that the verifier must find.
func Damages() (all []Damage) {
	for _, d := range damages {
		all = append(all, Damage{d.name, d.method, d.change})
	}
	return all
}
