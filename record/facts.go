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
	// Debuggable is set for debuggable builds. They run slower than release builds.
	Debuggable bool `json:"debuggable"`
	// Updated is the time at which the build was installed, in the phone's format.
	Updated string `json:"updated,omitempty"`
}

// A State is the part of a phone's state that affects speed and power.
type State struct {
	// Battery is the battery's charge in percent, and Celsius its temperature.
	Battery int     `json:"battery"`
	Celsius float64 `json:"celsius"`
	// Powered is set while a cable charges the phone.
	Powered bool `json:"powered"`
	// Thermal is Android's thermal status, or -1 if unknown. 0 is normal. From 2 on, the phone
	// slows down.
	Thermal int `json:"thermal"`
	// Awake is set while the screen is on.
	Awake bool `json:"awake"`
	// Locked is set while the lock screen covers the app.
	Locked bool `json:"locked,omitempty"`
}

// API levels: the oldest that is supported, and the first with profileable apps. The latter is also
// the first level with the thermal service and with Perfetto.
const (
	minAPI         = 26
	profileableAPI = 29
)

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
	switch {
	case d.SDK < minAPI:
		return d, fmt.Errorf("the phone runs Android %s (API %d); recording needs Android 8 (API 26)", d.Android, d.SDK)
	case d.SDK < profileableAPI && s.Lines:
		return d, fmt.Errorf("the phone runs Android %s (API %d); --lines needs Android 10 (API 29)", d.Android, d.SDK)
	case d.SDK < profileableAPI && s.Perfetto:
		return d, fmt.Errorf("the phone runs Android %s (API %d); --perfetto needs Android 10 (API 29)", d.Android, d.SDK)
	}
	s.sdk = d.SDK
	return d, nil
}

// app queries the installed build. It returns an error if the build cannot be recorded.
func (s *session) app(ctx context.Context) (App, error) {
	out, err := s.shell(ctx, "dumpsys", "package", s.Package)
	if err != nil {
		return App{}, err
	}
	// In the output, activities and permissions precede the package, and other packages may follow
	// it.
	_, about, ok := strings.Cut(out, "Package ["+s.Package+"]")
	if !ok {
		return App{}, fmt.Errorf("%s is not installed; adb shell pm list packages lists what is", s.Package)
	}
	about, _, _ = strings.Cut(about, "\n  Package [")
	if err := s.checkUser(about); err != nil {
		return App{}, err
	}
	a := App{Version: field(about, "versionName="), Updated: fieldLine(about, "lastUpdateTime=")}
	a.Code, _ = strconv.ParseInt(field(about, "versionCode="), 10, 64)
	a.Debuggable = flagged(about, "DEBUGGABLE")
	switch {
	case s.Counting:
	case !a.Debuggable && s.sdk < profileableAPI:
		return a, fmt.Errorf("%s cannot be profiled; before Android 10 only builds with android:debuggable can", s.Package)
	case !a.Debuggable && !flagged(about, "PROFILEABLE_BY_SHELL"):
		return a, fmt.Errorf(`%s cannot be profiled; record a build with android:debuggable or, which slows the app down less, with <profileable android:shell="true"/> in its manifest's <application>`, s.Package)
	}
	if a.Debuggable {
		s.note("the build is debuggable and runs slower than a profileable release build")
	}
	return a, nil
}

// checkUser checks that the app is installed for the main user, to whom commands without a user
// apply. A work profile is another user. about is the output of dumpsys package for the app.
func (s *session) checkUser(about string) error {
	var others []string
	main, known := false, false
	for _, u := range userLines.FindAllStringSubmatch(about, -1) {
		known = true
		switch {
		case u[2] != "true":
		case u[1] == "0":
			main = true
		default:
			others = append(others, u[1])
		}
	}
	switch {
	case known && !main && len(others) > 0:
		return fmt.Errorf("%s is installed for user %s only, such as a work profile; install it for the main user: adb shell pm install-existing --user 0 %s", s.Package, others[0], s.Package)
	case known && !main:
		return fmt.Errorf("%s is not installed for the main user; install it: adb shell pm install-existing --user 0 %s", s.Package, s.Package)
	case len(others) > 0:
		s.note("the app is also installed for user %s, such as a work profile; only the app of the main user is recorded", strings.Join(others, ", "))
	}
	return nil
}

// userLines matches the lines of dumpsys package that have the app's state for a user.
var userLines = regexp.MustCompile(`(?m)^\s*User (\d+):.*\binstalled=(true|false)`)

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
	if strings.HasPrefix(last, s.Package+"/") {
		return last, nil
	}
	// If there are several icons, Android returns the dialog in which the user chooses.
	if strings.Contains(last, "ResolverActivity") {
		return s.icons(ctx)
	}
	return "", fmt.Errorf("%s has no launcher icon; name the activity to start with --activity", s.Package)
}

// icons returns the activity of one of the app's icons. Developer tools such as LeakCanary add
// icons to debuggable builds. icons ignores these, and fails if the choice is not clear.
func (s *session) icons(ctx context.Context) (string, error) {
	out, err := s.shell(ctx, "cmd", "package", "query-activities", "--brief", "-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER", s.Package)
	if err != nil {
		return "", err
	}
	var all, own []string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if class, ok := strings.CutPrefix(line, s.Package+"/"); ok {
			all = append(all, line)
			if !strings.HasPrefix(class, "leakcanary.") && !strings.HasPrefix(class, "com.squareup.leakcanary.") {
				own = append(own, line)
			}
		}
	}
	if len(own) == 1 {
		s.note("the app has %d launcher icons; %s is started", len(all), own[0])
		return own[0], nil
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%s has several launcher icons; name the activity to start with --activity", s.Package)
	}
	return "", fmt.Errorf("%s has %d launcher icons; choose the activity to start with --activity: %s", s.Package, len(all), strings.Join(all, ", "))
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
	window, err := s.shell(ctx, "dumpsys", "window", "policy")
	if err != nil {
		return st, err
	}
	st.Locked = locked(window)
	if s.sdk < profileableAPI {
		return st, nil // The phone has no thermal service.
	}
	thermal, err := s.shell(ctx, "dumpsys", "thermalservice")
	if err != nil {
		return st, err
	}
	if n, err := strconv.Atoi(field(thermal, "Thermal Status: ")); err == nil {
		st.Thermal = n
	}
	return st, nil
}

// locked reports whether the lock screen covers the apps. policy is the output of dumpsys window
// policy.
func locked(policy string) bool {
	_, keyguard, ok := strings.Cut(policy, "KeyguardServiceDelegate")
	if !ok {
		return false
	}
	is := make(map[string]string)
	for line := range strings.Lines(keyguard) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && is[key] == "" {
			is[key] = value
		}
	}
	return is["showing"] == "true" && is["occluded"] != "true"
}

// errLocked is the error for a phone whose lock screen is shown.
var errLocked = errors.New("the phone is locked, and Android stops apps behind the lock screen: unlock it, turn on Stay awake in its developer options, and try again")

// judge notes conditions of the phone that can make a run differ from others.
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

// fieldLine returns the rest of the line after a key, or "".
func fieldLine(text, key string) string {
	_, rest, _ := strings.Cut(text, key)
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// flagged reports whether the app's package has a flag. about has lists of flags, such as
// pkgFlags=[ HAS_CODE ].
func flagged(about, flag string) bool {
	for _, list := range flagLists.FindAllStringSubmatch(about, -1) {
		for _, f := range strings.Fields(list[1]) {
			// Some flags are preceded by a value.
			if f == flag || strings.HasSuffix(f, "_"+flag) {
				return true
			}
		}
	}
	return false
}

var flagLists = regexp.MustCompile(`(?:flags|pkgFlags|privateFlags|privateFlagsExt|privatePkgFlags)=\[([^\]]*)\]`)

// Choose returns the serial number of the phone on which to record. If wanted is empty, this is the
// only connected phone.
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
