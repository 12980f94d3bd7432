package record

import (
	"fmt"
	"strings"
	"testing"
)

// TestConditionsOfThePhone checks which states of a phone are noted, at the limits of each.
func TestConditionsOfThePhone(t *testing.T) {
	fine := State{Awake: true, Battery: 80}
	for _, c := range []struct {
		what   string
		change func(st *State)
		want   string
	}{
		{"fine", func(*State) {}, ""},
		{"warm", func(st *State) { st.Thermal = 1 }, ""},
		{"hot", func(st *State) { st.Thermal, st.Celsius = 2, 41.5 }, "thermal status 2, battery 41.5 °C"},
		{"hotter", func(st *State) { st.Thermal = 5 }, "thermal status 5"},
		{"dark", func(st *State) { st.Awake = false }, "the screen is off"},
		{"almost low", func(st *State) { st.Battery = 21 }, ""},
		{"low", func(st *State) { st.Battery = 20 }, "the battery is at 20 %"},
	} {
		var logged []string
		s := &session{Options: Options{Log: func(format string, args ...any) { logged = append(logged, fmt.Sprintf(format, args...)) }}}
		st := fine
		c.change(&st)
		s.judge(st)
		if notes := strings.Join(s.notes, "; "); c.want == "" && notes != "" || !strings.Contains(notes, c.want) || len(logged) != len(s.notes) {
			t.Errorf("%s: the notes are %q, logged %q", c.what, notes, logged)
		}
	}
}

// TestLockedPhones reads the state of the lock screen. The first value of each key counts.
func TestLockedPhones(t *testing.T) {
	for policy, want := range map[string]bool{
		"": false, "showing=true\n": false, "KeyguardServiceDelegate\n  showing=true\n": true, "KeyguardServiceDelegate\n  showing=false\n  showing=true\n": false,
		"KeyguardServiceDelegate\n  showing=true\n  occluded=true\n": false, "KeyguardServiceDelegate\n  showing=true\n  occluded=false\n": true, "KeyguardServiceDelegate\n  other\n": false,
	} {
		if got := locked(policy); got != want {
			t.Errorf("%q is locked: %v", policy, got)
		}
	}
	for text, want := range map[string]string{"level: 80\nscale: 100": "80", "level: 80": "80", "level: 80 %": "80", "level: 80\t": "80", "level: ": "", "other": ""} {
		if got := field(text, "level: "); got != want {
			t.Errorf("the field of %q is %q, want %q", text, got, want)
		}
	}
}
