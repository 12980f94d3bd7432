package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// A Phone executes adb commands.
type Phone interface {
	// Do executes a command. It returns the command's output, even if the command failed. If the
	// connection is lost, Do waits until it is back, and then sends the command again.
	Do(ctx context.Context, c Command) (string, error)
}

// A Command is an adb command. It may be sent more than once.
type Command struct {
	// Args are the arguments of adb, without those that select the phone.
	Args []string
	// Stdin is the input of the command.
	Stdin string
	// OnLost, if not nil, is called when the connection is found to be lost.
	OnLost func()
}

// errUnreachable is the error for a phone whose connection does not come back.
var errUnreachable = errors.New("the phone cannot be reached")

// Unreachable reports whether err means that the phone could not be reached.
func Unreachable(err error) bool { return errors.Is(err, errUnreachable) }

// ADB is a Phone that runs the program adb. It must not be used concurrently.
type ADB struct {
	// Path is the path of adb.
	Path string
	// Serial is the phone's serial number. It is empty until a phone is chosen.
	Serial string
	// Patience is the maximum time that Do waits for a lost connection to come back.
	Patience time.Duration
}

// Do implements Phone.
func (a *ADB) Do(ctx context.Context, c Command) (string, error) {
	for {
		out, err := a.once(ctx, c)
		if err == nil || ctx.Err() != nil || !Unreachable(err) || len(c.Args) > 0 && c.Args[0] == "devices" {
			return out, err
		}
		if c.OnLost != nil {
			c.OnLost()
		}
		wait, cancel := context.WithTimeout(ctx, a.Patience)
		_, waited := a.once(wait, Command{Args: []string{"wait-for-device"}})
		cancel()
		if waited != nil {
			return out, fmt.Errorf("%w for %v: %w", errUnreachable, a.Patience, err)
		}
	}
}

// once sends a command a single time.
func (a *ADB) once(ctx context.Context, c Command) (string, error) {
	var args []string
	if a.Serial != "" {
		args = append(args, "-s", a.Serial)
	}
	cmd := exec.CommandContext(ctx, a.Path, append(args, c.Args...)...)
	cmd.Stdin = strings.NewReader(c.Stdin)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	// Older phones end lines with CR LF.
	out := strings.ReplaceAll(stdout.String(), "\r\n", "\n")
	message := strings.TrimSpace(stderr.String())
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err == nil:
		return out, nil
	case lost(message):
		return out, fmt.Errorf("%w: %s", errUnreachable, lastLine(message))
	case !errors.As(err, &exit):
		return out, err
	case exit.ExitCode() == 255 && message+out == "" && c.Args[0] == "shell":
		// A broken connection looks like a failed command. Check the connection.
		if _, err := a.once(ctx, Command{Args: []string{"get-state"}}); err != nil {
			return out, err
		}
	}
	if message == "" {
		message = out
	}
	// An exception of Android includes its stack. The first line describes the exception.
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if first == "" {
		first = exit.Error()
	}
	return out + message, fmt.Errorf("adb %s: %s", strings.Join(c.Args, " "), first)
}

// lost reports whether a message of adb means that the phone is not connected.
func lost(message string) bool {
	for _, sign := range []string{"error: device '", "device offline", "no devices", "error: closed", "still authorizing", "protocol fault", ": EOF", "cannot connect to daemon", "failed to start daemon", "Connection reset by peer", "no response"} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}

// quoted quotes arguments for the phone's shell. This is necessary because adb joins all arguments
// to one string.
func quoted(args []string) []string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=%,+", r)
	}
	out := make([]string, len(args))
	for i, a := range args {
		if a != "" && strings.IndexFunc(a, func(r rune) bool { return !safe(r) }) < 0 {
			out[i] = a
			continue
		}
		out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return out
}
