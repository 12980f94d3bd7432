package record

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Device is a phone.
type Device struct {
	Serial      string `json:"serial"`
	Model       string `json:"model"`
	Android     string `json:"android"`
	SDK         int    `json:"sdk"`
	Fingerprint string `json:"fingerprint"`
}

// An App is a build of the app.
type App struct {
	Version string `json:"version"`
	Code    int64  `json:"code"`
	// Debuggable builds run slower than release builds.
	Debuggable bool `json:"debuggable"`
	// Updated is when the build was installed, as the phone prints it.
	Updated string `json:"updated,omitempty"`
}

// A State is the part of the phone's state that affects its speed and power.
type State struct {
	// Battery is the charge in percent, Celsius the battery's temperature in degrees.
	Battery int     `json:"battery"`
	Celsius float64 `json:"celsius"`
	// Powered is set while a cable charges the phone.
	Powered bool `json:"powered"`
	// Thermal is Android's thermal status, -1 if unknown. 0 is normal; from 2 up the phone
	// slows down.
	Thermal int `json:"thermal"`
	// Awake is set while the screen is on.
	Awake bool `json:"awake"`
}

// device queries the phone's model and Android version.
func (s *session) device(ctx context.Context) (Device, error) {
	serial, err := s.phone.Do(ctx, Command{Args: []string{"get-serialno"}})
	if err != nil {
		return Device{}, err
	}
	out, err := s.shell(ctx, "getprop")
	if err != nil {
		return Device{}, err
	}
	prop := make(map[string]string)
	for line := range strings.Lines(out) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "]: ["); ok {
			prop[strings.TrimPrefix(key, "[")] = strings.TrimSuffix(value, "]")
		}
	}
	d := Device{
		Serial:      strings.TrimSpace(serial),
		Model:       strings.TrimSpace(prop["ro.product.manufacturer"] + " " + prop["ro.product.model"]),
		Android:     prop["ro.build.version.release"],
		Fingerprint: prop["ro.build.fingerprint"],
	}
	if d.SDK, err = strconv.Atoi(prop["ro.build.version.sdk"]); err != nil {
		return d, errors.New("adb shell getprop: no ro.build.version.sdk; is this an Android device?")
	}
	const streaming = 29 // the first API level whose am supports --streaming
	if d.SDK < streaming {
		return d, fmt.Errorf("the phone runs Android %s (API %d); recording needs Android 10 (API 29)", d.Android, d.SDK)
	}
	return d, nil
}

// app queries the installed build, and returns an error if it cannot be recorded.
func (s *session) app(ctx context.Context) (App, error) {
	out, err := s.shell(ctx, "dumpsys", "package", s.Package)
	if err != nil {
		return App{}, err
	}
	// The output lists activities and permissions before the package, and maybe other packages
	// after it.
	_, about, ok := strings.Cut(out, "Package ["+s.Package+"]")
	if !ok {
		return App{}, fmt.Errorf("%s is not installed; adb shell pm list packages lists what is", s.Package)
	}
	about, _, _ = strings.Cut(about, "\n  Package [")
	a := App{Version: field(about, "versionName="), Updated: fieldLine(about, "lastUpdateTime=")}
	a.Code, _ = strconv.ParseInt(field(about, "versionCode="), 10, 64)
	a.Debuggable = flagged(about, "DEBUGGABLE")
	switch {
	case !a.Debuggable && !flagged(about, "PROFILEABLE_BY_SHELL"):
		return a, fmt.Errorf(`%s cannot be profiled; record a build with android:debuggable, or, slowed down less, with <profileable android:shell="true"/> in its manifest's <application>`, s.Package)
	case a.Debuggable:
		s.note("the build is debuggable and runs slower than a profileable release build")
	}
	return a, nil
}

// activity queries the activity that the app's icon starts.
func (s *session) activity(ctx context.Context) (string, error) {
	if s.Activity != "" || s.Attach {
		return s.Activity, nil
	}
	out, err := s.shell(ctx, "cmd", "package", "resolve-activity", "--brief", "-c", "android.intent.category.LAUNCHER", s.Package)
	if err != nil {
		return "", err
	}
	last := lastLine(out)
	if !strings.HasPrefix(last, s.Package+"/") {
		return "", fmt.Errorf("%s has no icon to start it by; name its activity with --activity", s.Package)
	}
	return last, nil
}

// state queries the phone's state.
func (s *session) state(ctx context.Context) (State, error) {
	st := State{Thermal: -1}
	battery, err := s.shell(ctx, "dumpsys", "battery")
	if err != nil {
		return st, err
	}
	st.Battery, _ = strconv.Atoi(field(battery, "level: "))
	tenths, _ := strconv.Atoi(field(battery, "temperature: "))
	st.Celsius = float64(tenths) / 10
	st.Powered = strings.Contains(battery, "powered: true")
	power, err := s.shell(ctx, "dumpsys", "power")
	if err != nil {
		return st, err
	}
	st.Awake = field(power, "mWakefulness=") == "Awake"
	thermal, err := s.shell(ctx, "dumpsys", "thermalservice")
	if err != nil {
		return st, err
	}
	if n, err := strconv.Atoi(field(thermal, "Thermal Status: ")); err == nil {
		st.Thermal = n
	}
	return st, nil
}

// judge notes conditions that make runs differ.
func (s *session) judge(st State) {
	const moderate = 2 // THERMAL_STATUS_MODERATE
	if st.Thermal >= moderate {
		s.note("the phone is hot (thermal status %d, battery %.1f °C) and slows down", st.Thermal, st.Celsius)
	}
	if !st.Awake {
		s.note("the screen is off: the app may not draw")
	}
	const low = 20
	if st.Battery <= low {
		s.note("the battery is at %d %%: the phone may save power", st.Battery)
	}
}

// field returns the word after a key, or "".
func field(text, key string) string {
	_, rest, _ := strings.Cut(text, key)
	end := strings.IndexAny(rest, " \t\n")
	if end < 0 {
		return rest
	}
	return rest[:end]
}

// fieldLine returns the rest of the line after a key.
func fieldLine(text, key string) string {
	_, rest, _ := strings.Cut(text, key)
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// flagged reports whether one of a package's lists of flags, such as pkgFlags=[ HAS_CODE ], has
// a flag.
func flagged(about, flag string) bool {
	for _, list := range flagLists.FindAllStringSubmatch(about, -1) {
		for _, f := range strings.Fields(list[1]) {
			// Some flags have a value as prefix.
			if f == flag || strings.HasSuffix(f, "_"+flag) {
				return true
			}
		}
	}
	return false
}

var flagLists = regexp.MustCompile(`(?:flags|pkgFlags|privateFlags|privateFlagsExt|privatePkgFlags)=\[([^\]]*)\]`)

// Choose returns the serial number of the phone to record on: the wanted one, or the only one
// connected.
func Choose(ctx context.Context, adb Phone, wanted string) (string, error) {
	out, err := adb.Do(ctx, Command{Args: []string{"devices"}})
	if err != nil {
		return "", err
	}
	var ready, all []string
	for line := range strings.Lines(out) {
		serial, state, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		all = append(all, serial+" ("+state+")")
		if wanted != "" && serial != wanted {
			continue
		}
		switch state {
		case "device":
			ready = append(ready, serial)
		case "unauthorized":
			return "", fmt.Errorf("%s does not trust this machine yet: unlock the phone and allow USB debugging", serial)
		}
	}
	switch {
	case len(ready) == 1:
		return ready[0], nil
	case len(ready) > 1:
		return "", fmt.Errorf("%d phones are connected; choose one with --serial: %s", len(ready), strings.Join(ready, ", "))
	case len(all) > 0 && wanted != "":
		return "", fmt.Errorf("%s is not ready; connected phones: %s", wanted, strings.Join(all, ", "))
	case len(all) > 0:
		return "", fmt.Errorf("no phone is ready: %s", strings.Join(all, ", "))
	}
	return "", errors.New("no phone is connected; plug one in, and turn on USB debugging in its developer options")
}
