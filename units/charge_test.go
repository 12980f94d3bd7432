package units

import "testing"

func TestCharge(t *testing.T) {
	for text, want := range map[string]Charge{
		"3000mAh": 3000 * MilliampereHour, "4.5 Ah": 4500 * MilliampereHour, " 1400 mAh ": 1400 * MilliampereHour, "250µAh": MilliampereHour / 4, "1uAh": 1000,
	} {
		if got, err := ParseCharge(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "3000", "mAh", "-1mAh", "0mAh", "2000000Ah", "3000 mA", "1e9mAh"} {
		if got, err := ParseCharge(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	if got := (1400 * MilliampereHour).String(); got != "1400 mAh" {
		t.Errorf("shown as %s", got)
	}
	if got := (2 * MilliampereHour).Energy(0); got != 26_640*Millijoule {
		t.Errorf("2 mAh at 3.7 V is %d nJ", got)
	}
	if got := (26_640 * Millijoule).Charge(0); got != 2*MilliampereHour {
		t.Errorf("26.64 J at 3.7 V is %v", got)
	}
	if got, want := (3000 * MilliampereHour).Energy(4*Volt), 43_200*Joule; got != want {
		t.Errorf("3000 mAh at 4 V is %d nJ", got)
	}
}
