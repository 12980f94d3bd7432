package samples

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A levelUnit is the unit of levels.
type levelUnit int

const (
	unitAuto levelUnit = iota
	unitPercent
	unitFraction
)

// earliest and latest bound the time of a sample. An earlier time is from a clock that was never
// set, and a later one is a special value.
var (
	earliest = time.Date(2007, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
)

// layouts are the accepted formats of times. Without a zone, UTC is assumed. Ambiguous times are
// not accepted: neither 02/03/2019, which may be in February or March, nor names of zones.
var layouts = []string{
	"2006-01-02 15:04:05", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006/01/02 15:04:05",
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 UTC",
	"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
}

// parseTime returns a time in milliseconds since 1970, or NaN if the text is not a time. A number
// may be in seconds, milliseconds, microseconds or nanoseconds: the largest unit that gives a time
// before the year 2100.
func parseTime(s string) float64 {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return inMilliseconds(n)
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.UnixMilli())
		}
	}
	return math.NaN()
}

// inMilliseconds converts a time that is a number.
func inMilliseconds(n float64) float64 {
	n *= 1000
	for range 3 {
		if n <= float64(latest) {
			break
		}
		n /= 1000
	}
	return math.Round(n) // Nanoseconds have more digits than a float64.
}

// parseNumber returns a number, or NaN if the text is not a number. The decimal separator may be a
// comma.
func parseNumber(s string) float64 {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "%"))
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		n, err = strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	}
	if err != nil || math.IsInf(n, 0) {
		return math.NaN()
	}
	return n
}

// Temporary states, until Client.finish replaces them. code0 to code5 are numbers in the input
// whose meaning (platform) is not yet known. unreadState is an unknown text.
const (
	code0 State = 16 + iota
	code1
	code2
	code3
	code4
	code5
	unreadState
)

// unknownStates is the description of a fault.
const unknownStates = "states of the battery that are not known"

// unknownState describes an unknown state of the battery as a fault. It includes the state only if
// it is a short code, because other states may be any text.
func unknownState(s string) string {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".0")
	if n, err := strconv.Atoi(s); err == nil && n > -100 && n < 100 {
		return unknownStates + ": code " + strconv.Itoa(n)
	}
	return unknownStates
}

// parseState reads the state of a battery, a word or a number. Client.finish finds out what numbers
// mean.
func parseState(s string) State {
	s = strings.ToLower(strings.TrimSpace(s))
	switch strings.TrimPrefix(strings.TrimPrefix(s, "battery_status_"), "uidevicebatterystate") {
	case "discharging", "unplugged", "not charging", "not_charging", "notcharging", "battery", "false":
		return Discharging
	case "charging", "full", "plugged", "pluggedin", "plugged in", "usb", "ac", "wireless", "true":
		return Charging
	case "", "unknown", "null", "none", "nan", "-1":
		return Unknown
	}
	s = strings.TrimSuffix(s, ".0")
	if len(s) == 1 && s[0] >= '0' && s[0] <= '5' {
		return code0 + State(s[0]-'0')
	}
	return unreadState
}

// platforms are the possible meanings of numbers for states, in the order of platformNames. Numbers
// that are not listed do not exist on the platform.
var platforms = []map[State]State{
	{code0: Discharging, code1: Charging},
	{code1: Unknown, code2: Charging, code3: Discharging, code4: Discharging, code5: Charging},
	{code0: Unknown, code1: Discharging, code2: Charging, code3: Charging},
}

// platformNames are the values of Map.States.
var platformNames = []string{"charging", "android", "ios"}

// resolveStates replaces the numbers of a client's states by their meaning. platform is an index in
// platforms. If it is -1, resolveStates guesses the platform:
//
//  1. The states should agree with the level, which falls while the battery discharges.
//  2. If several platforms agree equally well, the one that knows most of the numbers is used.
//  3. If there are still several, a number with different meanings is Unknown.
//
// The result counts the samples with each number that the platform does not know.
func (c *Client) resolveStates(platform int) (unread map[State]int64) {
	if !slices.ContainsFunc(c.States, func(s State) bool { return s >= code0 }) {
		return nil
	}
	fit := make([][2]int, len(platforms)) // fit has the agreement and, negative, the number of unknown codes. Larger is better.
	for n, codes := range platforms {
		seen := map[State]bool{}
		for i, s := range c.States {
			if s < code0 {
				continue
			}
			state, ok := codes[s]
			if !ok && !seen[s] {
				seen[s] = true
				fit[n][1]--
			}
			if i == 0 || c.States[i-1] != s || state == Unknown {
				continue
			}
			switch falls := c.Levels[i-1] - c.Levels[i]; {
			case falls == 0:
			case (falls > 0) == (state == Discharging):
				fit[n][0]++
			default:
				fit[n][0]--
			}
		}
	}
	best := slices.MaxFunc(fit, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	meaning := func(s State) (state State, known bool) {
		first := true
		for n, codes := range platforms {
			if platform >= 0 && n != platform || platform < 0 && fit[n] != best {
				continue
			}
			other, ok := codes[s]
			known = known || ok
			if !first && other != state {
				return Unknown, known
			}
			state, first = other, false
		}
		return state, known
	}
	for i, s := range c.States {
		if s < code0 {
			continue
		}
		state, known := meaning(s)
		if c.States[i] = state; !known {
			if unread == nil {
				unread = map[State]int64{}
			}
			unread[s]++
		}
	}
	return unread
}

// parseTrigger reads the trigger of a sample.
func parseTrigger(s string) Trigger {
	s = strings.ToLower(s)
	switch {
	case strings.Contains(s, "level") && strings.Contains(s, "change"),
		strings.Contains(s, "battery_changed"), strings.Contains(s, "batterychanged"):
		return LevelChanged
	case strings.Contains(s, "boot"), strings.Contains(s, "restart"), strings.Contains(s, "shutdown"):
		return Restarted
	}
	return Other
}

// parseValue normalizes the value of a feature. It removes spaces and special values. If devices
// write a value in different case, it uses small letters.
func parseValue(feature, s string) string {
	s = strings.TrimSpace(s)
	switch strings.ToLower(s) {
	case "", "-1", "nan", "null", "none", "unknown":
		return ""
	}
	if feature == Screen {
		switch strings.ToLower(s) {
		case "1", "true", "on", "1.0", "yes", "y", "screen_on", "interactive", "unlocked":
			return "on"
		case "0", "false", "off", "0.0", "no", "n", "screen_off", "non_interactive", "locked":
			return "off"
		}
		return ""
	}
	if feature == Model || feature == System {
		return s
	}
	switch strings.ToLower(s) {
	case "1", "true", "1.0", "enabled":
		return "on"
	case "0", "false", "0.0", "disabled":
		return "off"
	}
	return strings.ToLower(plainNumber(s))
}

// unknownScreens is the description of a fault.
const unknownScreens = "states of the screen that are not known"

// isUnreadScreen reports whether a value of the screen is a text that parseValue does not know.
func isUnreadScreen(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "-1", "nan", "null", "none", "unknown":
		return false
	}
	return parseValue(Screen, s) == ""
}

// plainNumber normalizes a number. Programs in Java, such as Spark, write 25 as 25.0 and a
// millionth as 1.0E-6. It does not change a number such as 4.10, because this may be a version.
func plainNumber(s string) string {
	if mantissa, _, ok := strings.Cut(s, "E"); ok && strings.Contains(mantissa, ".") {
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	if whole, ok := strings.CutSuffix(s, ".0"); ok {
		if _, err := strconv.ParseInt(whole, 10, 64); err == nil {
			return whole
		}
	}
	return s
}

// problem describes the fault of a sample, and the role of the faulty column. what is "" for a
// sample without a fault.
func (r *row) problem() (what, role string) {
	switch {
	case !math.IsNaN(r.rate):
		if r.rate < 0 || r.rate > maxRate || math.IsInf(r.rate, 0) {
			return "rates below 0 or above 1 % per second", isRate
		}
	case r.client == 0:
		return "samples without a client", isClient
	case r.time < earliest || r.time > latest:
		return "samples whose time is missing, or not from 2007 to 2099", isTime
	case math.IsNaN(r.level), r.level < 0:
		return "samples without a level", isLevel
	case r.level > 100:
		return OverFull, isLevel
	}
	return "", ""
}

// OverFull is the description of a fault.
const OverFull = "samples with a level over 100 %"

// maxRate is the highest rate, in % per second. A battery then lasts 100 s.
const maxRate = 1
