package samples

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestTimesOfSamples reads times as numbers in each unit, and as dates. The largest unit that gives a
// time before the year 2100 counts.
func TestTimesOfSamples(t *testing.T) {
	const at = 1_700_000_000_000
	for text, want := range map[string]float64{
		"1700000000": at, "1700000000000": at, "1700000000000000": at, "1700000000000000000": at, " 1700000000.25 ": at + 250, "0": 0, "-5": -5000,
		"4102444800": 4_102_444_800_000, "4102444801": 4_102_444_801, "4102444800000": 4_102_444_800_000,
		"2023-11-14 22:13:20": at, "2023-11-14T22:13:20Z": at, "2023-11-14T23:13:20+01:00": at, "2023/11/14 22:13:20": at, "2023-11-14 22:13:20 UTC": at, "2023-11-14 22:13": at - 20_000,
	} {
		if got := parseTime(text); got != want {
			t.Errorf("%s is %.0f, want %.0f", text, got, want)
		}
	}
	if float64(latest) != 4_102_444_800_000 || earliest != time.Date(2007, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("times are from %d to %d", earliest, latest)
	}
	for _, text := range []string{"", "x", "02/03/2019", "2023-13-14 22:13:20", "2023-11-14"} {
		if got := parseTime(text); !math.IsNaN(got) {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestNumbersOfSamples reads numbers with a point, a comma and a percent sign.
func TestNumbersOfSamples(t *testing.T) {
	for text, want := range map[string]float64{"12": 12, " 12.5 ": 12.5, "12,5": 12.5, "12.5%": 12.5, "12 %": 12, "-3": -3, "1e2": 100} {
		if got := parseNumber(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "x", "1,2,3", "1.2,3", "inf", "-Inf", "%", "1e999"} {
		if got := parseNumber(text); !math.IsNaN(got) {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestStatesOfSamples reads words and codes of states, and names codes that are not known.
func TestStatesOfSamples(t *testing.T) {
	for text, want := range map[string]State{
		"Discharging": Discharging, "battery_status_not_charging": Discharging, "UIDeviceBatteryStateUnplugged": Discharging, "false": Discharging, " FULL ": Charging, "usb": Charging, "true": Charging,
		"": Unknown, "-1": Unknown, "NaN": Unknown, "0": code0, "3": code3, "5": code5, "5.0": code5, "6": unreadState, "/": unreadState, ":": unreadState, "12": unreadState, "odd": unreadState,
	} {
		if got := parseState(text); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{"7": ": code 7", " 99 ": ": code 99", "-99": ": code -99", "100": "", "-100": "", "8.0": ": code 8", "secret": "", "": ""} {
		if got := unknownState(text); got != unknownStates+want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// TestShortenedTexts cuts texts between two characters.
func TestShortenedTexts(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aéb", 3, "aé…"}, {"aéb", 2, "a…"}, {"é", 1, "…"}, {"a日本", 4, "a日…"}, {"a日本", 3, "a…"}, {"", 0, ""}, {strings.Repeat("x", 9), 0, "…"},
	} {
		if got := shortened(c.text, c.n); got != c.want {
			t.Errorf("%q in %d bytes is %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// TestFaultsOfSamples checks which samples have a fault, at the limits of each value.
func TestFaultsOfSamples(t *testing.T) {
	fine := row{client: 1, time: earliest, level: 50, rate: math.NaN()}
	for _, c := range []struct {
		what   string
		change func(r *row)
		role   string
	}{
		{"fine", func(*row) {}, ""},
		{"no client", func(r *row) { r.client = 0 }, isClient},
		{"too early", func(r *row) { r.time = earliest - 1 }, isTime},
		{"the latest", func(r *row) { r.time = latest }, ""},
		{"too late", func(r *row) { r.time = latest + 1 }, isTime},
		{"no level", func(r *row) { r.level = math.NaN() }, isLevel},
		{"empty", func(r *row) { r.level = 0 }, ""},
		{"below empty", func(r *row) { r.level = -0.1 }, isLevel},
		{"full", func(r *row) { r.level = 100 }, ""},
		{"over full", func(r *row) { r.level = 100.1 }, isLevel},
		{"a rate of 0", func(r *row) { *r = row{rate: 0} }, ""},
		{"the highest rate", func(r *row) { *r = row{rate: maxRate} }, ""},
		{"a negative rate", func(r *row) { r.rate = -0.01 }, isRate},
		{"too high a rate", func(r *row) { r.rate = 1.01 }, isRate},
		{"an endless rate", func(r *row) { r.rate = math.Inf(1) }, isRate},
	} {
		r := fine
		c.change(&r)
		if what, role := r.problem(); role != c.role || (what == OverFull) != (c.what == "over full") {
			t.Errorf("%s: %q in %q, want the role %q", c.what, what, role, c.role)
		}
	}
}

// TestStepsOfLevels guesses the steps in which clients report their level.
func TestStepsOfLevels(t *testing.T) {
	for _, c := range []struct {
		levels []float64
		known  int32
		want   float64
	}{
		{[]float64{100, 90, 80, 70}, 0, 10}, {[]float64{100, 90, 80, 75}, 0, 5}, {[]float64{100, 90, 80}, 0, 1}, {[]float64{100, 90, 90, 80, 80}, 0, 1}, {[]float64{100, 90, 80, 71}, 0, 1},
		{[]float64{35.0001, 29.9999, 25, 20}, 0, 5}, {[]float64{100, 90, 80, 70}, Percent / 10, 0.1}, {[]float64{34.6, 30, 25, 20}, 0, 5}, {[]float64{34.4, 30, 25, 20}, 0, 1},
	} {
		var client Client
		for _, l := range c.levels {
			client.Levels, client.Steps = append(client.Levels, int32(math.Round(l*Percent))), append(client.Steps, c.known)
		}
		client.findSteps()
		for _, s := range client.Steps {
			if s != int32(c.want*Percent) {
				t.Errorf("%v: a step of %v, want %v", c.levels, float64(s)/Percent, c.want)
			}
		}
	}
}

// TestValuesOfFeatures normalizes values, numbers and states of the screen.
func TestValuesOfFeatures(t *testing.T) {
	for _, c := range [][3]string{
		{"network", " WiFi ", "wifi"}, {"network", "unknown", ""}, {"roaming", "1.0", "on"}, {"roaming", "Disabled", "off"}, {Screen, "SCREEN_ON", "on"}, {Screen, "0", "off"}, {Screen, "dim", ""}, {Screen, "-1", ""}, {Model, "Pixel 4", "Pixel 4"}, {Model, "1", "1"},
		{"warm", "25.0", "25"}, {"warm", "1.0E-6", "0.000001"}, {"warm", "4.10", "4.10"}, {"warm", "x.0", "x.0"}, {"warm", "1E5", "1e5"}, {"warm", "1.5Ex", "1.5ex"},
	} {
		if got := parseValue(c[0], c[1]); got != c[2] {
			t.Errorf("%s %q is %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for text, want := range map[string]bool{"dim": true, "on": false, "": false, "unknown": false, "2": true} {
		if got := isUnreadScreen(text); got != want {
			t.Errorf("the screen %q is not known: %v", text, got)
		}
	}
	for text, want := range map[string]Trigger{"BATTERY_LEVEL_CHANGED": LevelChanged, "battery_changed": LevelChanged, "android.BatteryChanged": LevelChanged, "level": Other, "changed": Other, "BOOT_COMPLETED": Restarted, "shutdown": Restarted, "": Other} {
		if got := parseTrigger(text); got != want {
			t.Errorf("the trigger %q is %v, want %v", text, got, want)
		}
	}
}
