package record

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// A DryRun is a phone that does nothing. It prints the commands that a real phone would get, and
// answers as if all of them succeeded.
type DryRun struct {
	Out io.Writer
	// Serial is the serial number in the printed commands, or "" for the only phone.
	Serial string
	// Dir is the output folder. Printed commands show the text Shown instead.
	Dir, Shown string
}

// Do implements Phone.
func (r *DryRun) Do(_ context.Context, c Command) (string, error) {
	line := "adb "
	if r.Serial != "" {
		line += "-s " + r.Serial + " "
	}
	line += strings.Join(c.Args, " ")
	if c.Stdin != "" {
		line += " < perfetto.txtpb"
	}
	if r.Dir != "" {
		line = strings.ReplaceAll(line, r.Dir, r.Shown)
	}
	if _, err := fmt.Fprintln(r.Out, strings.ReplaceAll(line, ".part", "")); err != nil {
		return "", err
	}
	if c.Args[0] == "pull" {
		return "", os.WriteFile(c.Args[2], nil, 0o666)
	}
	return successOutput(c.Args), nil
}

// successOutput returns the output that a command has if it succeeds.
func successOutput(args []string) string {
	line := strings.Join(args, " ")
	switch {
	case line == "shell getprop "+debugInfo:
		return "\n"
	case line == "shell getprop ro.product.cpu.abi":
		return "arm64-v8a\n"
	case strings.HasPrefix(line, "shell pm path "):
		return "package:/data/app/" + args[3] + "/base.apk\n"
	case strings.Contains(line, "nohup simpleperf"):
		return "4711\n"
	case strings.HasPrefix(line, "shell getprop"):
		return "[ro.build.version.sdk]: [35]\n"
	case strings.HasPrefix(line, "shell dumpsys package "):
		return "  Package [" + args[3] + "] (0):\n    privateFlags=[ PROFILEABLE_BY_SHELL ]\n"
	case strings.HasPrefix(line, "shell cmd package resolve-activity"):
		return args[len(args)-1] + "/ACTIVITY\n"
	case strings.HasPrefix(line, "shell dumpsys battery"):
		return "  level: 100\n"
	case strings.HasPrefix(line, "shell dumpsys power"):
		return "mWakefulness=Awake\n"
	case strings.HasPrefix(line, "shell dumpsys window"):
		return "KeyguardServiceDelegate\n  showing=false\n"
	case strings.HasPrefix(line, "shell dumpsys thermalservice"):
		return "Thermal Status: 0\n"
	case strings.HasPrefix(line, "shell perfetto"):
		return "4711\n"
	case strings.HasPrefix(line, "shell date"):
		return "01-01 00:00:00.000\n"
	case strings.HasPrefix(line, "shell ls -1"):
		return "MAP.calls-map\nPROCESS.calls\n"
	case strings.HasPrefix(line, "shell stat"):
		return "1\n"
	case strings.HasPrefix(line, "install "), strings.HasPrefix(line, "install-multiple "):
		return "Success\n"
	}
	return ""
}
