package ftrace

import (
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A screen is what is known of the device's screen.
type screen struct {
	on bool
	// level is the track of its brightness, 0 for none and else 1 more than its number.
	level trace.TrackID
}

// component is the screen's, in the words of trace.Account.
const screenComponent = "screen"

// The counters by which Android says what the screen does. They are counted by the system, and
// so of whatever process is read.
const (
	screenState      = "ScreenState"
	screenBrightness = "ScreenBrightness"
	screenUse        = "battery_stats.screen"
	// mostBright is the brightest that the counter of the brightness can be.
	mostBright = 255
)

// tracing begins the names of Android's system properties that repeat counters.
const tracing = "debug.tracing."

// properties are the counters that system properties stand for, by their names behind tracing.
var properties = map[string]string{"screen_state": screenState, screenUse: screenUse}

// Property takes a system property of Android and its value. Those that stand for counters of the
// screen are taken as these, others tell nothing.
func (m *Machine) Property(moment int64, name string, value int64) {
	if behind, ok := strings.CutPrefix(name, tracing); ok {
		m.display(moment, properties[behind], value)
	}
}

// display takes a counter of the screen, and tells whether it is one.
func (m *Machine) display(moment int64, counter string, value int64) bool {
	switch counter {
	case screenState:
		m.Screen(moment, lights(value))
	case screenUse:
		m.Screen(moment, value != 0)
	case screenBrightness:
		if 0 <= value && value <= mostBright {
			m.Brightness(moment, (value*100+mostBright/2)/mostBright)
		}
	default:
		return false
	}
	return true
}

// lights says whether the screen shows the user something in a state of Android's Display: on, on
// for virtual reality, or on while the processor sleeps. In the others it is off or dozes.
func lights(state int64) bool { return state == 2 || state == 5 || state == 6 }

// Screen says whether the screen is on from now on.
func (m *Machine) Screen(moment int64, on bool) {
	if m.screen.on == on || m.signals.sink == nil {
		return
	}
	m.screen.on = on
	verb := trace.OpStop
	if on {
		verb = trace.OpStart
	}
	m.Operation(moment, NoTask, trace.Operation{Verb: verb, Component: screenComponent, Name: "screen", Handle: m.Handle(screenComponent)})
}

// Brightness says how bright the screen is from now on, in percent.
func (m *Machine) Brightness(moment int64, percent int64) {
	if m.signals.sink == nil {
		return
	}
	if m.screen.level == 0 {
		m.screen.level = 1 + m.Track(trace.Track{Name: "brightness", Component: screenComponent, Unit: "%", Core: -1, UID: -1})
	}
	m.Signal(moment, m.screen.level-1, trace.Level, percent)
}
