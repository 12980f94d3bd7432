package ftrace

import (
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// A screen is the state of the device's screen.
type screen struct {
	on bool
	// level is 1 + the track of the screen's brightness, or 0 if there is none.
	level trace.TrackID
}

// screenComponent is the name of the screen in trace.Account.
const screenComponent = "screen"

// These are the counters with which Android logs the state of the screen. A system process writes
// them, so they are read for every choice of processes.
const (
	screenState      = "ScreenState"
	screenBrightness = "ScreenBrightness"
	screenUse        = "battery_stats.screen"
	// maxBrightness is the largest value of the brightness counter.
	maxBrightness = 255
)

// tracing is the prefix of Android's system properties that repeat counters.
const tracing = "debug.tracing."

// properties maps the rest of such a property's name to the counter's name.
var properties = map[string]string{"screen_state": screenState, screenUse: screenUse}

// Property processes a system property of Android. Some properties have the state of the screen, as
// counters do. Others are ignored.
func (m *Machine) Property(moment int64, name string, value int64) {
	if behind, ok := strings.CutPrefix(name, tracing); ok {
		m.display(moment, properties[behind], value)
	}
}

// display handles the counters of the screen. For other counters, it returns false.
func (m *Machine) display(moment int64, counter string, value int64) bool {
	switch counter {
	case screenState:
		m.Screen(moment, screenOn(value))
	case screenUse:
		m.Screen(moment, value != 0)
	case screenBrightness:
		if 0 <= value && value <= maxBrightness {
			m.Brightness(moment, (value*100+maxBrightness/2)/maxBrightness)
		}
	default:
		return false
	}
	return true
}

// screenOn reports whether the screen is on in a state of Android's Display: on (2), on for virtual
// reality (5), or on while the processor sleeps (6). In other states, it is off or dozes.
func screenOn(state int64) bool { return state == 2 || state == 5 || state == 6 }

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

// Brightness sets the brightness of the screen in percent.
func (m *Machine) Brightness(moment int64, percent int64) {
	if m.signals.sink == nil {
		return
	}
	if m.screen.level == 0 {
		m.screen.level = 1 + m.Track(trace.Track{Name: "brightness", Component: screenComponent, Unit: "%", Core: -1, UID: -1})
	}
	m.Signal(moment, m.screen.level-1, trace.Level, percent)
}
