// Package recordtest simulates a phone for tests: the parts of Android that recording needs, and
// failures such as lost connections. Its output follows the sources of Android 13. It has not been
// compared with the output of a real phone.
package recordtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/record"
)

// A Phone is a simulated phone. It implements record.Phone, but does not wait for a lost
// connection. Main implements the program adb.
type Phone struct {
	Serial string
	// State is the state in the output of adb devices. It is "device" if the phone is usable.
	State string
	// Flags are the app's package flags. SDK is the phone's API level.
	Flags string
	SDK   int
	// Locked is set while the lock screen is shown. Icons has the app's activities if it has
	// several icons. Users has the lines about users in the output of dumpsys package.
	Locked bool
	Icons  []string
	Users  string
	// APK is the installed build, or empty.
	APK string
	// Recorded is the content that each recording of the app gets.
	Recorded string
	// Counts has the files that an instrumented app writes. Log is the phone's log.
	Counts map[string]string
	Log    string
	// What the phone is doing: whether the app runs, the file that its profiler writes, the state
	// of perfetto, and the state of the battery.
	Running   bool
	Profile   string
	Tracing   bool
	Unplugged bool
	Files     map[string]string
	// Property is the value of debug.generate-debug-info. Compiling is the output of the compile
	// command, and Compilation is the value of Property when it ran. Compiled is set until the
	// compilation is reset.
	Property, Compiling, Compilation string
	Compiled                         bool
	// Sampling is set while simpleperf runs. Sampler is its message if it ends immediately.
	Sampling bool
	Sampler  string
	// Installed has the app's files. They are not part of a recording.
	Installed map[string]string
	// Commands has all commands so far.
	Commands []string
	// LostAt has the numbers of the commands at which the connection is lost, counted from 1. If
	// the number is even, the phone executes the command nevertheless. The connection comes back
	// when the caller waits for it, unless Gone is set.
	LostAt []int
	Gone   bool
	// DiesAt is the number of a command. The app crashes just before it.
	DiesAt int
}

// New returns a phone with an app that can be recorded.
func New() *Phone {
	return &Phone{
		Serial: "0A1B2C", State: "device", Flags: "PROFILEABLE_BY_SHELL", SDK: 35, APK: "installed.apk",
		Compiling: "Success", Installed: map[string]string{
			"/data/app/~~A==/com.mine-B==/base.apk": "apk", "/data/app/~~A==/com.mine-B==/split_a.apk": "split",
			"/data/app/~~A==/com.mine-B==/oat/arm64/base.odex": "code",
		},
		Recorded: "[main];com.mine.Main.run;java.io.File.read 4000\n", Files: map[string]string{},
	}
}

// Do implements record.Phone.
func (p *Phone) Do(ctx context.Context, c record.Command) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	out, code := p.adb(c.Args, c.Stdin)
	if code != 0 {
		return out, fmt.Errorf("adb %s: %s", strings.Join(c.Args, " "), out)
	}
	return out, nil
}

// Main is the program adb. It acts as the phone described by a JSON file, whose path is in the
// environment variable PHONE.
func Main() {
	path := os.Getenv("PHONE")
	p := New()
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, p); err != nil {
			fail(err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		fail(err)
	}
	args := os.Args[1:]
	if len(args) > 2 && args[0] == "-s" {
		args = args[2:]
	}
	var stdin string
	if len(args) > 1 && args[1] == "perfetto" {
		data, err := io.ReadAll(os.Stdin)
		if err != nil {
			fail(err)
		}
		stdin = string(data)
	}
	out, code := p.adb(args, stdin)
	data, err := json.Marshal(p)
	if err != nil {
		fail(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		fail(err)
	}
	if code != 0 {
		fmt.Fprint(os.Stderr, out)
	} else {
		fmt.Print(out)
	}
	os.Exit(code)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

// adb executes a command and returns adb's output and exit code.
func (p *Phone) adb(args []string, stdin string) (string, int) {
	switch args[0] {
	case "devices":
		if p.State == "" {
			return "List of devices attached\n\n", 0
		}
		return "List of devices attached\n" + p.Serial + "\t" + p.State + "\n\n", 0
	case "get-serialno":
		return p.Serial + "\n", 0
	case "version":
		return "Android Debug Bridge version 1.0.41\n", 0
	case "get-state":
		return "device\n", 0
	case "wait-for-device":
		if p.Gone {
			return "error: no devices\n", 1
		}
		return "", 0
	}
	p.Commands = append(p.Commands, strings.Join(args, " "))
	n := len(p.Commands)
	if n == p.DiesAt {
		p.Running, p.Profile = false, ""
	}
	if !slices.Contains(p.LostAt, n) && !(p.Gone && len(p.LostAt) > 0 && n > p.LostAt[0]) {
		return p.do(args, stdin)
	}
	if n%2 == 0 {
		p.do(args, stdin)
	}
	return "adb: error: device '" + p.Serial + "' not found\n", 1
}

// do executes a command that has reached the phone.
func (p *Phone) do(args []string, stdin string) (string, int) {
	switch args[0] {
	case "install", "install-multiple":
		p.APK = args[len(args)-1]
		return "Performing Streamed Install\nSuccess\n", 0
	case "pull":
		content, ok := p.content(args[1])
		if !ok {
			return "adb: error: failed to stat remote object '" + args[1] + "': No such file or directory\n", 1
		}
		if err := os.WriteFile(args[2], []byte(content), 0o666); err != nil {
			return err.Error(), 1
		}
		return args[1] + ": 1 file pulled, 0 skipped.\n", 0
	}
	c := shellCommand{line: strings.Join(args[1:], " "), args: args, stdin: stdin, last: strings.Trim(args[len(args)-1], "'")}
	for _, group := range []func(shellCommand) (string, int){p.compiler, p.dumpsys, p.app, p.file} {
		if out, code := group(c); code != unknown {
			return out, code
		}
	}
	return "/system/bin/sh: " + args[1] + ": inaccessible or not found\n", unknown
}

// unknown is the exit code of a shell for a program that it does not find.
const unknown = 127

// A shellCommand is a command for the phone's shell. args has its words, beginning with "shell".
// line is the text after "shell", and last is the last word without quotes.
type shellCommand struct {
	args  []string
	line  string
	last  string
	stdin string
}

func (c *shellCommand) has(prefix string) bool { return strings.HasPrefix(c.line, prefix) }

// compiler executes the commands for recording lines: setting the compiler's property, compiling,
// and simpleperf.
func (p *Phone) compiler(c shellCommand) (string, int) {
	switch {
	case c.has("getprop debug.generate-debug-info"):
		return p.Property + "\n", 0
	case c.has("getprop ro.product.cpu.abi"):
		return "arm64-v8a\n", 0
	case c.has("setprop debug.generate-debug-info"):
		p.Property = strings.Trim(c.last, "'")
		return "", 0
	case c.has("cmd package compile --reset"):
		p.Compiled = false
		return "Success\n", 0
	case c.has("cmd package compile -f -m speed"):
		p.Compiled, p.Compilation = true, p.Property
		return p.Compiling + "\n", 0
	case c.has("pm path"):
		var out string
		for _, f := range slices.Sorted(maps.Keys(p.Installed)) {
			if strings.HasSuffix(f, ".apk") {
				out += "package:" + f + "\n"
			}
		}
		return out, 0
	case c.has("pidof simpleperf"):
		if p.Sampling {
			return "4712\n", 0
		}
		return "", 0
	case strings.Contains(c.line, "nohup simpleperf"):
		pid, recorded := "/data/local/tmp/diffprof-com.mine.pid", "/data/local/tmp/diffprof-com.mine.data"
		if p.Files[pid] == "" {
			p.Files[pid], p.Files["/data/local/tmp/diffprof-com.mine.log"] = "4712\n", p.Sampler
			p.Files[recorded], p.Sampling = p.Recorded, p.Sampler == ""
		}
		return p.Files[pid], 0
	case c.has("kill -0 4712"):
		if !p.Sampling {
			return "kill: 4712: No such process\n", 1
		}
		return "", 0
	case c.has("kill -INT 4712 || ! kill -0 4712"), strings.Contains(c.line, "kill -INT $(cat"):
		p.Sampling = false
		return "", 0
	case c.has("i=0; while kill -0 4712"):
		return "", 0
	}
	return "", unknown
}

// dumpsys executes a dumpsys command.
func (p *Phone) dumpsys(c shellCommand) (string, int) {
	switch {
	case c.has("dumpsys package"):
		if p.APK == "" {
			return "Unable to find package: " + c.last + "\n", 0
		}
		return "Packages:\n  Package [" + c.last + "] (1a2b3c):\n    versionCode=7 minSdk=26 targetSdk=35\n    versionName=1.7-" + p.APK + "\n    flags=[ HAS_CODE ALLOW_CLEAR_USER_DATA ]\n    privateFlags=[ PRIVATE_FLAG_ACTIVITIES_RESIZE_MODE_RESIZEABLE " + p.Flags + " ]\n    lastUpdateTime=2026-11-20 09:00:00\n" + p.Users + "\n", 0
	case c.has("dumpsys batterystats --reset"):
		return "Battery stats reset.\n", 0
	case c.has("dumpsys batterystats"):
		return "Battery History (0% used, 1256 used of 4096KB, 12 strings using 1256):\n", 0
	case c.has("dumpsys battery unplug"):
		p.Unplugged = true
		return "", 0
	case c.has("dumpsys battery reset"):
		p.Unplugged = false
		return "", 0
	case c.has("dumpsys battery"):
		return "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  level: 85\n  scale: 100\n  temperature: 268\n", 0
	case c.has("dumpsys power"):
		return "POWER MANAGER (dumpsys power)\n  mWakefulness=Awake\n", 0
	case c.has("dumpsys window policy"):
		return fmt.Sprintf("WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mShowingDream=false\n    KeyguardServiceDelegate\n      showing=%v\n      showingAndNotOccluded=%[1]v\n      inputRestricted=false\n      occluded=false\n      secure=true\n", p.Locked), 0
	case c.has("dumpsys thermalservice") && p.SDK < 29:
		return "Can't find service: thermalservice\n", 1
	case c.has("dumpsys thermalservice"):
		return "IsStatusOverride: false\nThermal Status: 0\n", 0
	}
	return "", unknown
}

// app executes commands that start, profile and stop apps, or that read the state of the phone.
func (p *Phone) app(c shellCommand) (string, int) {
	switch {
	case c.has("cmd package query-activities"):
		out := fmt.Sprintf("%d activities found:\n", len(p.Icons))
		for i, icon := range p.Icons {
			out += fmt.Sprintf("  Activity #%d:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n    %s/%s\n", i, c.last, icon)
		}
		return out, 0
	case c.has("cmd package resolve-activity") && len(p.Icons) > 1:
		return "priority=0 preferredOrder=0 match=0x0 specificIndex=-1 isDefault=false\nandroid/com.android.internal.app.ResolverActivity\n", 0
	case c.has("cmd package resolve-activity"):
		return "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n" + c.last + "/.Main\n", 0
	case c.has("am force-stop"):
		p.Running, p.Profile = false, ""
		return "", 0
	case c.has("am start-activity") && !strings.Contains(c.line, "--start-profiler"):
		p.Running = true
		folder := "/sdcard/Android/data/" + c.last[:strings.Index(c.last, "/")] + "/files/diffprof-calls/"
		for name, content := range p.Counts {
			p.Files[folder+name] = content
		}
		return "Starting: Intent { cmp=" + c.last + " }\nStatus: ok\nLaunchState: COLD\nComplete\n", 0
	case c.has("am start-activity"):
		p.Running, p.Profile = true, c.args[slices.Index(c.args, "--start-profiler")+1]
		p.Files[p.Profile] = p.Recorded
		return "Starting: Intent { cmp=" + c.last + " }\nStatus: ok\nLaunchState: COLD\nComplete\n", 0
	case c.has("am profile start"):
		p.Profile = c.last
		p.Files[c.last] = p.Recorded
		return "", 0
	case c.has("am profile stop"):
		p.Profile = ""
		return "", 0
	case c.has("pidof"):
		if !p.Running {
			return "", 1
		}
		return "12345\n", 0
	case c.has("perfetto"):
		if !strings.Contains(c.stdin, "data_sources") {
			return "[trace_config.cc] no data sources\n", 1
		}
		p.Tracing, p.Files[c.last] = true, "trace"
		return "4711\n", 0
	case c.has("kill"):
		p.Tracing = false
		return "", 0
	case c.has("getprop"):
		return fmt.Sprintf("[ro.build.fingerprint]: [google/oriole/oriole:15/AP4A/1:user/release-keys]\n[ro.build.version.release]: [15]\n[ro.build.version.sdk]: [%d]\n[ro.product.manufacturer]: [Google]\n[ro.product.model]: [Pixel 6]\n", p.SDK), 0
	case c.has("date"):
		return "11-23 12:00:00.000\n", 0
	case c.has("logcat"):
		return p.Log, 0
	}
	return "", unknown
}

// file executes commands that operate on files.
func (p *Phone) file(c shellCommand) (string, int) {
	switch {
	case c.has("cat "):
		return p.Files[c.last], 0
	case c.has("ls -1"):
		var names string
		for _, f := range slices.Sorted(maps.Keys(p.Files)) {
			if name, ok := strings.CutPrefix(f, c.last+"/"); ok {
				names += name + "\n"
			}
		}
		if names == "" {
			return "ls: " + c.last + ": No such file or directory\n", 1
		}
		return names, 0
	case c.has("rm -rf"):
		maps.DeleteFunc(p.Files, func(f, _ string) bool { return strings.HasPrefix(f, c.last+"/") })
		return "", 0
	case c.has("ls "):
		return "ls: No such file or directory\n", 1
	case c.has("stat"):
		content, ok := p.content(c.last)
		if !ok {
			return "stat: '" + c.last + "': No such file or directory\n", 1
		}
		return fmt.Sprintln(len(content)), 0
	case c.has("rm"):
		for _, f := range c.args[3:] {
			delete(p.Files, f)
		}
		return "", 0
	}
	return "", unknown
}

// Left lists what a recording left behind on the phone.
func (p *Phone) Left() []string {
	var left []string
	for f := range p.Files {
		left = append(left, f)
	}
	slices.Sort(left)
	if p.Profile != "" {
		left = append(left, "the profiler runs")
	}
	if p.Tracing {
		left = append(left, "perfetto runs")
	}
	if p.Sampling {
		left = append(left, "simpleperf runs")
	}
	if p.Property != "" {
		left = append(left, "the compiler writes line tables")
	}
	if p.Compiled {
		left = append(left, "the app is compiled")
	}
	if p.Unplugged {
		left = append(left, "the battery counts as unplugged")
	}
	return left
}

// content returns the content of a file.
func (p *Phone) content(path string) (string, bool) {
	content, ok := p.Files[path]
	if !ok {
		content, ok = p.Installed[path]
	}
	return content, ok
}
