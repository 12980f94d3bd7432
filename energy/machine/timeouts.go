package machine

import "github.com/diffprof/diffprof/units"

// timeouts are open holds that will end after a timeout, in the order in which they began. Energy
// that only these holds explain is unproven, because they may have ended earlier. It is recorded at
// the latest hold. If the recording shows the release of one of the earlier holds, the component
// was provably on until then.
type timeouts []timeout

type timeout struct {
	order  int64
	energy units.Energy
}

// begin adds a hold.
func (t *timeouts) begin(order int64) { *t = append(*t, timeout{order: order}) }

// use records energy of a time in which only these holds kept the component on.
func (t timeouts) use(e units.Energy) { t[len(t)-1].energy += e }

// release removes a hold whose release is in the recording. Energy at later holds is then proven.
func (t *timeouts) release(order int64) {
	for i := range *t {
		if (*t)[i].order != order {
			continue
		}
		for j := i + 1; j < len(*t); j++ {
			(*t)[j].energy = 0
		}
		*t = append((*t)[:i], (*t)[i+1:]...)
		return
	}
}

// sum returns the unproven energy of all holds.
func (t timeouts) sum() (e units.Energy) {
	for i := range t {
		e += t[i].energy
	}
	return e
}
