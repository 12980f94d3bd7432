// Package simulation generates fleets of devices with known hogs and bugs. Tests compare the
// results of the analysis with them.
//
// The discharge rate of a device depends on its model, its user, the screen, the running hogs, and
// bugs. A sample is taken when the level falls by a step.
//
// Some apps use no energy but occur together with energy use. A good method does not report them.
// They are on models that use more energy, are used by heavy users, run while the screen is on, or
// run mostly when a hog runs (companions).
//
// The following laws hold. A fleet depends only on its Options, including the seed. A client
// depends only on the fleet and on its number, so several goroutines can generate clients in any
// order.
package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Options define a fleet. A count of 0 means none.
type Options struct {
	Seed          uint64
	Clients, Apps int
	// Hogs is the number of hogs. Innocent is the number of apps that use no energy but occur
	// together with energy use.
	Hogs, Innocent int
	// Bugs is the number of bugs. Each is one app on one client.
	Bugs int
	// Days is the length of each client's recording.
	Days int
	// Step is the step between levels, in per cent. 0 means 1.
	Step int
	// Named describes the most frequent hog. It may be nil.
	Named *Named
	// Alike gives all devices and users the same discharge rate. The rates are then independent.
	Alike bool
	// Installed is the mean number of apps on a device. If it is 0, the number follows from the
	// popularity of the apps.
	Installed int
	// Samples is the approximate number of samples of a client. Nothing changes between two
	// samples, so fleets of hundreds of thousands of clients take only minutes. If Samples is 0,
	// each client is simulated for Days in steps of 30 s.
	Samples int
}

// A Named configures a hog: its name, and when it uses energy.
type Named struct {
	Name string
	// If Version is set, each client has Version or the earlier version Before. The hog uses energy
	// only in Version.
	Version, Before string
	// Mobile means that the hog uses energy only on mobile data.
	Mobile bool
}

// The kinds of apps.
const (
	Plain     = "plain"
	Hog       = "hog"
	ByModel   = "model"
	ByUser    = "heavy users"
	ByScreen  = "screen"
	Companion = "companion"
)

// An App is an app of the fleet, with its true energy use.
type App struct {
	Name, Kind string
	// Drain is the excess of a hog while it runs, in % per second.
	Drain float64
	// Of is the index of the companion's hog.
	Of int
	// Named restricts when the app uses energy. It may be nil.
	Named   *Named
	install float64
	share   float64 // share is the share of time for which the app runs.
	hours   float64 // hours is the mean length of a run.
}

// A Bug is an app that uses energy on one client.
type Bug struct {
	Client, App int
	// Drain is in % per second.
	Drain float64
}

// A Fleet is a generated fleet. It is safe for concurrent use.
type Fleet struct {
	Options
	Apps []App
	Bugs []Bug
	bugs map[int]map[int]float64
	// tied lists apps whose installation depends on the model or on the user. companions lists apps
	// that run together with a hog.
	tied, companions []int
}

// The smallest and largest excesses, in % per second. A hog of 0.0003 shortens a charge of one day
// by an hour and a half.
const (
	minHog, maxHog = 0.0003, 0.0012
	minBug, maxBug = 0.0008, 0.0025
	idle           = 0.0008
	screen         = 0.0050
	models         = 8
)

// New generates a fleet.
func New(o Options) *Fleet {
	if o.Step == 0 {
		o.Step = 1
	}
	random := rand.New(rand.NewPCG(o.Seed, 1))
	f := &Fleet{Options: o, bugs: map[int]map[int]float64{}}
	for i := range o.Apps {
		f.Apps = append(f.Apps, App{
			Name: fmt.Sprintf("com.example.app%04d", i), Kind: Plain, Of: -1,
			// The popularity of an app falls with its rank.
			install: min(0.5, 0.7/math.Pow(float64(i)+2, 0.53)),
			share:   0.1 + 0.5*random.Float64(), hours: 0.5 + 3*random.Float64(),
		})
	}
	if o.Installed > 0 {
		f.install()
	}
	// Apps with fewer clients cannot be found.
	const enough, some = 25, 12
	var common, plain []int
	for i := range f.Apps {
		switch clients := f.Apps[i].install * float64(o.Clients); {
		case clients >= enough:
			common = append(common, i)
		case clients >= some:
			plain = append(plain, i)
		}
	}
	random.Shuffle(len(common), func(i, j int) { common[i], common[j] = common[j], common[i] })
	hogs := common[:min(o.Hogs, len(common))]
	for _, i := range hogs {
		f.Apps[i].Kind, f.Apps[i].Drain = Hog, minHog+(maxHog-minHog)*random.Float64()
	}
	if len(hogs) > 0 && o.Named != nil {
		hog := &f.Apps[slices.Min(hogs)]
		hog.Name, hog.Named = o.Named.Name, o.Named
	}
	innocent := common[len(hogs):min(len(hogs)+o.Innocent, len(common))]
	for n, i := range innocent {
		kinds := []string{ByModel, ByUser, ByScreen, Companion}
		f.Apps[i].Kind = kinds[n%len(kinds)]
		if f.Apps[i].Kind == Companion {
			if len(hogs) == 0 {
				f.Apps[i].Kind = ByScreen
				continue
			}
			f.Apps[i].Of = hogs[(n/len(kinds))%len(hogs)]
		}
	}
	for i := range f.Apps {
		switch f.Apps[i].Kind {
		case Companion:
			f.companions = append(f.companions, i)
			fallthrough
		case ByModel, ByUser:
			f.tied = append(f.tied, i)
		}
	}
	plain = append(plain, common[len(hogs)+len(innocent):]...)
	for len(f.Bugs) < o.Bugs && len(plain) > 0 && o.Clients > 0 {
		b := Bug{Client: random.IntN(o.Clients), App: plain[random.IntN(len(plain))], Drain: minBug + (maxBug-minBug)*random.Float64()}
		if f.bugs[b.Client] == nil {
			f.bugs[b.Client] = map[int]float64{b.App: b.Drain}
			f.Bugs = append(f.Bugs, b)
		} else if len(f.bugs) >= o.Clients {
			break
		}
	}
	return f
}

// A Sample is a report of a generated client. Apps is valid until the next sample.
type Sample struct {
	// Time is in seconds since Start.
	Time     int64
	Level    int // Level is in per cent.
	Charging bool
	Screen   bool
	Mobile   bool
	Apps     []int
}

// Model returns the number of a client's model, from 0.
func (f *Fleet) Model(client int) int {
	return int(rand.New(rand.NewPCG(f.Seed^0x9e3779b97f4a7c15, uint64(client))).Uint64() % models)
}

// Version returns a client's version of an app, or "" if the client reports none.
func (f *Fleet) Version(client, app int) string {
	n := f.Apps[app].Named
	if n == nil || n.Version == "" {
		return ""
	}
	if rand.New(rand.NewPCG(f.Seed^0xd1342543de82ef95, uint64(client))).Uint64()&1 == 0 {
		return n.Before
	}
	return n.Version
}

// A device is the state of a client.
type device struct {
	f           *Fleet
	random      *rand.Rand
	model       float64 // model is the factor of the model on the discharge rate.
	user        float64
	apps        []int
	running     []bool
	until       []int64 // until is when each app starts or stops next. It is indexed like apps.
	hogOf       []int   // hogOf maps a companion to its hog, as indices of apps. It is -1 for other apps.
	drain       []float64
	needsMobile []bool // needsMobile is set for apps that use energy only on mobile data.
	screen      bool
	screenEnd   int64
	use         float64 // use is the intensity of use while the screen is on.
	mobile      bool
	mobileEnd   int64
	due         int64   // due is the time of the next change.
	rate        float64 // rate is the current discharge rate, in % per second.
}

// Client generates the samples of a client, the earliest first.
func (f *Fleet) Client(client int, give func(*Sample)) {
	d := f.device(client)
	const pause = 30 // The unit is seconds.
	step, end := int64(pause), int64(f.Days)*86400
	if f.Samples > 0 {
		end = math.MaxInt64
		left := f.Samples/2 + d.random.IntN(f.Samples+1)
		all := give
		give = func(s *Sample) {
			if left--; left <= 0 {
				end = s.Time
			}
			all(s)
		}
	}
	level := 100.0
	next := 100 - f.Step
	s := &Sample{Level: 100}
	d.advance(0)
	d.give(s, 0, false, give)
	for now := int64(0); now < end; now += step {
		d.advance(now)
		if f.Samples > 0 {
			step = max(pause, int64(math.Ceil((level-float64(next))/d.rate)))
		}
		level -= d.rate * float64(step)
		if level > float64(next) {
			continue
		}
		at := now
		if f.Samples > 0 {
			at += step // The level is reached at the end of a period without changes.
		}
		s.Level = next
		d.give(s, at, false, give)
		next -= f.Step
		if next > 5 {
			continue
		}
		// The device charges for some time.
		s.Level = max(0, next)
		d.give(s, at+60, true, give)
		now = at + 5400
		level, next = 100, 100-f.Step
		d.advance(now)
		s.Level = 100
		d.give(s, now, true, give)
		d.give(s, now+pause, false, give)
	}
}

func (f *Fleet) device(client int) *device {
	d := &device{f: f, random: rand.New(rand.NewPCG(f.Seed, uint64(client)+2)), model: 1, user: 1}
	model := f.Model(client)
	if !f.Alike {
		d.model = 0.7 + 0.8*float64(model)/(models-1)
		d.user = math.Exp(0.4 * d.random.NormFloat64())
	}
	places := map[int]int{}
	add := func(i int) {
		places[i] = len(d.apps)
		d.apps = append(d.apps, i)
	}
	if f.Installed > 0 {
		f.draw(d.random, add)
		for _, i := range f.tied {
			if d.random.Float64() < f.chance(i, model, d.user) {
				add(i)
			}
		}
		for i := range f.bugs[client] { // There is at most one.
			if _, there := places[i]; !there {
				add(i)
			}
		}
	} else {
		for i := range f.Apps {
			if d.random.Float64() < f.chance(i, model, d.user) || f.bugs[client][i] > 0 {
				add(i)
			}
		}
	}
	// A companion is installed with its hog.
	for _, i := range f.companions {
		_, there := places[i]
		if _, hog := places[f.Apps[i].Of]; hog && !there && d.random.Float64() < 0.7 {
			add(i)
		}
	}
	d.running, d.until = make([]bool, len(d.apps)), make([]int64, len(d.apps))
	for _, i := range d.apps {
		hog := -1
		if p, ok := places[f.Apps[i].Of]; ok && f.Apps[i].Of >= 0 {
			hog = p
		}
		d.hogOf = append(d.hogOf, hog)
		drain := f.Apps[i].Drain
		named := f.Apps[i].Named
		if named != nil && f.Version(client, i) != named.Version {
			drain = 0
		}
		d.drain = append(d.drain, drain+f.bugs[client][i])
		d.needsMobile = append(d.needsMobile, named != nil && named.Mobile)
	}
	return d
}

// install scales the popularity of apps to a mean of Installed apps per device.
func (f *Fleet) install() {
	for range 20 {
		sum := 0.0
		for i := range f.Apps {
			sum += f.Apps[i].install
		}
		for i := range f.Apps {
			f.Apps[i].install = min(0.5, f.Apps[i].install*float64(f.Installed)/sum)
		}
	}
}

// draw calls add for each app that a random device has, except for tied apps. Apps are sorted by
// popularity, so draw can jump from one installed app to the next.
func (f *Fleet) draw(random *rand.Rand, add func(i int)) {
	p := 1.0
	for i := 0; i < len(f.Apps); i++ {
		if p < 1 {
			i += int(min(math.Log(1-random.Float64())/math.Log1p(-p), float64(len(f.Apps))))
			if i >= len(f.Apps) {
				return
			}
		}
		a := &f.Apps[i]
		if random.Float64() < a.install/p && !slices.Contains([]string{ByModel, ByUser, Companion}, a.Kind) {
			add(i)
		}
		p = a.install
	}
}

// chance returns the probability that an app is installed.
func (f *Fleet) chance(i, model int, user float64) float64 {
	a := &f.Apps[i]
	switch a.Kind {
	case ByModel:
		if model < models/2 {
			return a.install / 8
		}
	case ByUser:
		return min(0.9, a.install*user*user)
	case Companion:
		return a.install / 6
	}
	return a.install
}

func (d *device) advance(now int64) {
	if now < d.due {
		return // Most steps end here.
	}
	if now >= d.screenEnd {
		d.screen = !d.screen && now > 0
		minutes := 35 / math.Sqrt(d.user)
		if d.screen {
			minutes = 8 * math.Sqrt(d.user)
			d.use = math.Exp(0.3*d.random.NormFloat64()) * math.Sqrt(d.user)
			if d.f.Alike {
				d.use = 1
			}
		}
		d.screenEnd = now + d.lasting(minutes*60)
	}
	if now >= d.mobileEnd {
		d.mobile = !d.mobile
		d.mobileEnd = now + d.lasting(3*3600)
	}
	for p, i := range d.apps {
		a := &d.f.Apps[i]
		if d.hogOf[p] >= 0 || now < d.until[p] {
			continue
		}
		if a.Kind == ByScreen {
			// The app is in the foreground, so it runs only while the screen is on.
			d.running[p] = d.screen && d.random.Float64() < 0.6
			d.until[p] = d.screenEnd
			continue
		}
		if now == 0 {
			d.running[p] = d.random.Float64() < a.share
		} else {
			d.running[p] = !d.running[p]
		}
		seconds := a.hours * 3600
		if !d.running[p] {
			seconds *= (1 - a.share) / a.share
		}
		d.until[p] = now + d.lasting(seconds)
	}
	for p := range d.apps {
		if hog := d.hogOf[p]; hog >= 0 && now >= d.until[p] {
			// A companion usually runs when its hog runs.
			d.running[p] = d.running[hog] != (d.random.Float64() < 0.15)
			d.until[p] = max(now+600, min(d.until[hog], now+d.lasting(5400)))
		}
	}
	d.due = min(d.screenEnd, d.mobileEnd)
	for _, until := range d.until {
		d.due = min(d.due, until)
	}
	d.rate = d.rateNow()
}

// lasting returns a random duration in seconds, with the given mean.
func (d *device) lasting(mean float64) int64 { return 30 + int64(mean*d.random.ExpFloat64()) }

// rateNow returns the discharge rate in the current state.
func (d *device) rateNow() float64 {
	r := idle
	if d.screen {
		r += screen * d.use
	}
	r *= d.model
	for p, on := range d.running {
		if on && (d.mobile || !d.needsMobile[p]) {
			r += d.drain[p]
		}
	}
	return r
}

// give fills in a sample and calls give with it.
func (d *device) give(s *Sample, now int64, charging bool, give func(*Sample)) {
	s.Time, s.Charging, s.Screen, s.Mobile, s.Apps = now, charging, d.screen, d.mobile, s.Apps[:0]
	for p, on := range d.running {
		if on {
			s.Apps = append(s.Apps, d.apps[p])
		}
	}
	slices.Sort(s.Apps)
	give(s)
}
