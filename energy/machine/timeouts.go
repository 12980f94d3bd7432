package machine

import "github.com/diffprof/diffprof/units"

// timeouts are the open holds that release themselves, in the order of their begins. Each has the
// energy that the component used while it was the latest of them and no other operation was active.
// An earlier hold was open all that time, so its release proves that the component was on.
type timeouts []timeout

type timeout struct {
	order  int64
	energy units.Energy
}

// begin adds a hold.
func (t *timeouts) begin(order int64) { *t = append(*t, timeout{order: order}) }

// use adds energy that the component used while only these holds were active.
func (t timeouts) use(e units.Energy) { t[len(t)-1].energy += e }

// release removes a hold whose release the recording shows.
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

// sum returns the energy that the component used only because of these holds.
func (t timeouts) sum() (e units.Energy) {
	for i := range t {
		e += t[i].energy
	}
	return e
}
