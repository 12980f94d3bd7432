package strace

import (
	"bytes"
	"strings"
)

// isFile reports whether path is a file that can always be read without waiting.
func isFile(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "/dev/")
}

// ofNote returns the component for an annotation of -y or -yy, such as </tmp/a>. path is set if the
// annotation is a path. ok is false if the annotation is ambiguous.
func (d *decoder) ofNote(note []byte) (component string, path, ok bool) {
	protocol, rest, marked := bytes.Cut(note, []byte(":["))
	switch {
	case len(note) == 0:
		return "", false, false
	case note[0] == '/':
		return d.triggers.File(string(note)), true, true
	case !marked:
		return "", false, true // This is anon_inode:... or a device.
	}
	switch p := string(protocol); {
	case p == "socket":
		return "", false, false
	case strings.HasPrefix(p, "TCP"), strings.HasPrefix(p, "UDP"), strings.HasPrefix(p, "ICMP"), strings.HasPrefix(p, "RAW"), strings.HasPrefix(p, "SCTP"):
		if local(rest) {
			return "", false, true
		}
		return d.triggers.Socket("AF_INET"), false, true
	}
	return "", false, true // This is a pipe, or a socket of another kind.
}

// local reports whether the connection in an annotation of -yy is within the machine.
func local(connection []byte) bool {
	_, to, ok := bytes.Cut(connection, []byte("->"))
	if !ok {
		to = connection
	}
	to = bytes.TrimPrefix(to, []byte("["))
	return bytes.HasPrefix(to, []byte("127.")) || bytes.HasPrefix(to, []byte("::1]")) || bytes.HasPrefix(to, []byte("::ffff:127."))
}

// An address is the address of the other end of a connection, from a call's arguments.
type address struct {
	family []byte
	text   string
	// local is set if the address is on the same machine.
	local bool
}

// ofAddress parses the address in the arguments of a call. If there is none, family is empty.
func ofAddress(args []byte) (a address) {
	_, rest, ok := bytes.Cut(args, []byte("sa_family="))
	if !ok {
		return a
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return a
	}
	a.family = rest[:end]
	host := within(rest, `inet_addr("`, `"`)
	if host == nil {
		host = within(rest, `inet_pton(AF_INET6, "`, `"`)
	}
	port := within(rest, "htons(", ")")
	a.local = bytes.HasPrefix(host, []byte("127.")) || string(host) == "::1" || bytes.HasPrefix(host, []byte("::ffff:127."))
	if host != nil && port != nil {
		a.text = string(host) + ":" + string(port)
	}
	return a
}
