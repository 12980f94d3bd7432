package energy

import (
	"math"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// cores tracks the cores of a processor by their switches, frequencies and idle states. It emits
// pieces, which are periods of constant power.
//
// A core that runs a thread of the recording uses the active power of its operating point. This
// power is charged to the thread. A core that is not idle and runs no such thread works for other
// processes. Idle power and the shared power of a cluster are charged to the device.
type cores struct {
	model *model.CPU
	// emit receives the pieces. The pieces of one core are in order of time. Pieces of different
	// cores are not.
	emit     func(piece)
	clusters []cluster
	// core maps the number of a core to the core. tracks has the core number of each track.
	core   map[int]*core
	tracks []int
	// now is the moment of the latest signal.
	now int64
	// threads maps each running thread to its core.
	threads map[trace.ThreadID]*core
	// based means that some core is awake, so that the processor uses its base power. This power
	// was emitted up to the time since.
	based bool
	since int64
	// unknown counts the signals of cores that the model does not have.
	unknown int64
}

// A piece is a period in which a part of a cluster drew constant power.
type piece struct {
	begin, end int64
	power      units.Power
	// cluster is an index in the model's clusters. It is -1 for the power that all cores share.
	cluster int
	// thread is trace.NoThread if no thread of the recording causes the power.
	thread trace.ThreadID
}

// A cluster is the current state of a cluster of the power model.
type cluster struct {
	*model.Cluster
	cores []*core
	// frequency is 0 while it is unknown.
	frequency units.Frequency
	point     *model.Point
	// shared is the power that the cores share. It was emitted up to the time since.
	shared units.Power
	since  int64
	// unknownTime is the time in which cores ran at an unknown frequency.
	unknownTime int64
}

// A core is the state of a core.
type core struct {
	cluster int
	// wake is how long the core already uses active power when the recording shows that it leaves
	// deep idle.
	wake int64
	// idle is the number of the core's idle state. It is -1 while the core is awake. known means
	// that the state is known.
	idle   int64
	known  bool
	thread trace.ThreadID
	power  units.Power
	since  int64
}

// newCores returns the cores of a processor model. first has the initial frequency of each cluster,
// in the order of the model. It may be nil.
func newCores(m *model.CPU, first []units.Frequency, emit func(piece)) *cores {
	c := &cores{model: m, emit: emit, core: make(map[int]*core), threads: make(map[trace.ThreadID]*core)}
	c.clusters = make([]cluster, len(m.Clusters))
	for i := range m.Clusters {
		cl := &c.clusters[i]
		cl.Cluster = &m.Clusters[i]
		for k, number := range cl.Cores {
			at := &core{cluster: i, idle: -1, thread: trace.NoThread}
			if k < len(cl.Wake) {
				at.wake = cl.Wake[k]
			}
			c.core[number] = at
			cl.cores = append(cl.cores, at)
		}
		if i < len(first) {
			cl.frequency = first[i]
		}
	}
	c.settle(0)
	return c
}

// track defines the next track.
func (c *cores) track(t trace.Track) { c.tracks = append(c.tracks, t.Core) }

func (c *cores) signal(s *trace.Signal) {
	if s.Kind > trace.Idle {
		return
	}
	at, ok := c.core[c.tracks[s.Track]]
	if !ok {
		if c.tracks[s.Track] >= 0 {
			c.unknown++
		}
		return
	}
	c.now = max(c.now, s.Time)
	woke := int64(-1)
	if s.Kind != trace.Frequency {
		if wakes(s) && c.clusters[at.cluster].deep(at) && at.wake > 0 {
			woke = c.wake(at)
		}
		c.pass(at)
		at.known = true
	}
	switch s.Kind {
	case trace.Switch:
		if c.threads[at.thread] == at {
			delete(c.threads, at.thread)
		}
		if at.thread = s.Thread; s.Thread != trace.NoThread {
			c.threads[s.Thread] = at
			at.idle = -1 // A core with a thread is awake.
		}
		c.turn(at, woke)
	case trace.Frequency:
		if cl := &c.clusters[at.cluster]; cl.frequency != units.Frequency(s.Value) {
			cl.frequency = units.Frequency(s.Value)
			c.settle(c.now)
		}
	case trace.Idle:
		at.idle = s.Value
		c.turn(at, woke)
	}
}

// wakes reports whether a signal shows that a core is awake.
func wakes(s *trace.Signal) bool {
	return s.Kind == trace.Switch && s.Thread != trace.NoThread || s.Kind == trace.Idle && s.Value < 0
}

// deep reports whether a core is in the deepest idle state of its cluster's operating point.
func (cl *cluster) deep(at *core) bool {
	return at.known && cl.point != nil && at.idle >= 0 && at.idle == int64(len(cl.point.Idle))-1
}

// wake emits the energy of a core that leaves deep idle now. The core has used active power since
// at.wake nanoseconds ago. No thread is charged for it. wake returns the moment at which the core
// began to wake.
func (c *cores) wake(at *core) int64 {
	now, thread := c.now, at.thread
	c.now = max(at.since, now-at.wake)
	c.pass(at)
	from := c.now
	at.power, at.thread = c.clusters[at.cluster].point.Active, trace.NoThread
	c.now = now
	c.pass(at)
	at.thread = thread
	return from
}

// turn sets the power of a core to the power of its current state. The caller must have emitted the
// earlier energy of the core. woke is the moment at which the core began to wake from deep idle, or
// negative.
func (c *cores) turn(at *core, woke int64) {
	cl := &c.clusters[at.cluster]
	at.power = cl.draws(at)
	if shared := cl.shares(); shared != cl.shared {
		if since := cl.since; woke >= 0 && cl.shared == 0 && max(woke, since) < c.now {
			c.emit(piece{begin: max(woke, since), end: c.now, power: shared, cluster: at.cluster, thread: trace.NoThread})
		}
		c.passShared(at.cluster)
		cl.shared = shared
	}
	if based := c.awake(); based != c.based {
		c.passBase()
		c.based = based
	}
	if len(c.clusters) > 1 && cl.point != nil {
		// The operating points of other clusters may depend on this cluster's clock, which counts
		// only while the cluster runs.
		c.updateDependents(at.cluster)
	}
}

// updateDependents updates the clusters whose operating points depend on another cluster's clock.
// The parameter on is the cluster whose clock changed. It is skipped.
func (c *cores) updateDependents(on int) {
	for i := range c.clusters {
		if i != on && len(c.clusters[i].Points) > 0 && c.clusters[i].Points[0].DepPolicy >= 0 {
			c.updatePoint(i)
		}
	}
}

// settle computes the operating points of all clusters.
func (c *cores) settle(now int64) {
	c.now = max(c.now, now)
	for i := range c.clusters {
		c.updatePoint(i)
	}
}

// updatePoint computes the operating point of a cluster.
func (c *cores) updatePoint(i int) {
	cl := &c.clusters[i]
	if cl.frequency == 0 {
		return
	}
	point := cl.Point(cl.frequency, c.clock)
	if point == cl.point {
		return
	}
	for _, at := range cl.cores {
		c.pass(at)
	}
	c.passShared(i)
	cl.point = point
	for _, at := range cl.cores {
		at.power = cl.draws(at)
	}
	cl.shared = cl.shares()
}

// clock returns the frequency of a policy, or 0 while all cores of the policy are idle.
func (c *cores) clock(policy int) units.Frequency {
	at, ok := c.core[policy]
	if !ok {
		return 0
	}
	cl := &c.clusters[at.cluster]
	if len(cl.Cores) == 0 || cl.Cores[0] != policy {
		return 0
	}
	for _, at := range cl.cores {
		if at.known && at.idle < 0 {
			return cl.frequency
		}
	}
	return 0
}

// draws returns the power of a core without the shared power of its cluster.
func (cl *cluster) draws(at *core) units.Power {
	switch {
	case cl.point == nil || !at.known:
		return 0
	case at.idle < 0:
		return cl.point.Active
	case at.idle < int64(len(cl.point.Idle)):
		return cl.point.Idle[at.idle]
	}
	return 0
}

// shares returns the power that the cores of a cluster share. It is 0 if all of them are in their
// deepest idle state.
func (cl *cluster) shares() units.Power {
	if cl.point == nil {
		return 0
	}
	for _, at := range cl.cores {
		if at.known && at.idle < int64(len(cl.point.Idle))-1 {
			return cl.point.Shared
		}
	}
	return 0
}

// pass emits the energy of a core up to now.
func (c *cores) pass(at *core) {
	if at.idle < 0 && at.known && c.clusters[at.cluster].point == nil {
		c.clusters[at.cluster].unknownTime += c.now - at.since
	}
	if c.now > at.since && at.power > 0 {
		p := piece{begin: at.since, end: c.now, power: at.power, cluster: at.cluster, thread: trace.NoThread}
		if at.idle < 0 {
			p.thread = at.thread
		}
		c.emit(p)
	}
	at.since = max(at.since, c.now)
}

// passShared emits the shared energy of a cluster up to now.
func (c *cores) passShared(i int) {
	cl := &c.clusters[i]
	if c.now > cl.since && cl.shared > 0 {
		c.emit(piece{begin: cl.since, end: c.now, power: cl.shared, cluster: i, thread: trace.NoThread})
	}
	cl.since = c.now
}

// awake reports whether any core is awake.
func (c *cores) awake() bool {
	for i := range c.clusters {
		for _, at := range c.clusters[i].cores {
			if at.known && at.idle < 0 {
				return true
			}
		}
	}
	return false
}

// passBase emits the energy shared by all cores up to now.
func (c *cores) passBase() {
	if c.based && c.now > c.since && c.model.Base > 0 {
		c.emit(piece{begin: c.since, end: c.now, power: c.model.Base, cluster: -1, thread: trace.NoThread})
	}
	c.since = c.now
}

// ran emits the energy of a thread up to moment if the thread is running.
func (c *cores) ran(thread trace.ThreadID, moment int64) {
	if at, ok := c.threads[thread]; ok {
		now := c.now
		c.now = max(now, moment)
		c.pass(at)
		c.now = now
	}
}

// finish emits all energy up to the end of the run.
func (c *cores) finish(end int64) {
	c.now = max(c.now, end)
	for i := range c.clusters {
		for _, at := range c.clusters[i].cores {
			c.pass(at)
		}
		c.passShared(i)
	}
	c.passBase()
}

// A spent is an amount of energy. It consists of whole picojoules and a remainder in µW·ns.
type spent struct{ whole, rest uint64 }

// add adds the energy of power p over ns nanoseconds. It returns the increase in whole picojoules.
func (s *spent) add(p units.Power, ns int64) (whole uint64) {
	const per = 1000
	if p == 0 || uint64(ns) < (math.MaxUint64-per)/uint64(p) {
		sum := uint64(p)*uint64(ns) + s.rest
		whole, s.rest = sum/per, sum%per
	} else {
		whole = uint64(p) / per * uint64(ns)
	}
	s.whole += whole
	return whole
}
