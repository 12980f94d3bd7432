package ftrace

import (
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A screen is the state of the device's screen.
type screen struct {
	on bool
	// level is the track of its brightness plus one, 0 for none.
	level trace.TrackID
}

// component is the name of the screen in trace.Account.
const screenComponent = "screen"

// The counters by which Android logs the state of the screen. The system writes them, so they
// are read whichever process is read.
const (
	screenState      = "ScreenState"
	screenBrightness = "ScreenBrightness"
	screenUse        = "battery_stats.screen"
	// mostBright is the maximum of the counter of the brightness.
	mostBright = 255
)

// tracing is the prefix of Android's system properties that repeat counters.
const tracing = "debug.tracing."

// properties maps system properties, without the prefix, to counters.
var properties = map[string]string{"screen_state": screenState, screenUse: screenUse}

// Property processes a system property of Android. Properties that repeat counters of the
// screen count as these. Others are ignored.
func (m *Machine) Property(moment int64, name string, value int64) {
	if behind, ok := strings.CutPrefix(name, tracing); ok {
		m.display(moment, properties[behind], value)
	}
}

// display processes a counter of the screen, and reports whether it is one.
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

// lights reports whether the screen is on in a state of Android's Display: on, on for virtual
// reality, or on while the processor sleeps. In other states it is off or dozes.
func lights(state int64) bool { return state == 2 || state == 5 || state == 6 }

// Screen switches the screen on or off.
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

// Brightness sets the brightness of the screen, in percent.
func (m *Machine) Brightness(moment int64, percent int64) {
	if m.signals.sink == nil {
		return
	}
	if m.screen.level == 0 {
		m.screen.level = 1 + m.Track(trace.Track{Name: "brightness", Component: screenComponent, Unit: "%", Core: -1, UID: -1})
	}
	m.Signal(moment, m.screen.level-1, trace.Level, percent)
}
