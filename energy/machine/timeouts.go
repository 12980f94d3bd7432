package machine

import "github.com/diffprof/diffprof/units"

// timeouts are the open holds that end after a timeout, in the order in which they began. The
// energy of a hold is the energy that the component used while the hold was the latest hold and no
// other operation was active. All earlier holds were open during this time. If the recording shows
// the release of one of them, the component was provably on.
type timeouts []timeout

type timeout struct {
	order  int64
	energy units.Energy
}

// begin adds a hold.
func (t *timeouts) begin(order int64) { *t = append(*t, timeout{order: order}) }

// use adds the energy that the component used while only these holds kept it on.
func (t timeouts) use(e units.Energy) { t[len(t)-1].energy += e }

// release removes a hold, because the recording shows its release.
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

// sum returns the energy that the component used while only these holds kept it on.
func (t timeouts) sum() (e units.Energy) {
	for i := range t {
		e += t[i].energy
	}
	return e
}
