package syntax

import (
	"errors"
	"io"
	"testing"
)

func TestError(t *testing.T) {
	cause := errors.New("record size 0")
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{File: "app.trace", Format: "art trace", Offset: 4711, Err: cause, Hint: "move the file as binary"},
			"app.trace: offset 4711: art trace: record size 0; move the file as binary"},
		{Error{File: "a.folded", Format: "folded stacks", Line: 3, Offset: -1, Err: cause}, "a.folded: line 3: folded stacks: record size 0"},
		{Error{Offset: -1, Err: cause}, "record size 0"},
		{Error{Err: cause}, "offset 0: record size 0"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%+v prints %q, want %q", c.err, got, c.want)
		}
	}
	if !errors.Is(&Error{Err: io.ErrUnexpectedEOF}, io.ErrUnexpectedEOF) {
		t.Error("an Error hides its cause")
	}
}
