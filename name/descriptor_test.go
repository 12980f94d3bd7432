package name_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
)

func TestParseDescriptor(t *testing.T) {
	for d, want := range map[string]string{
		"()V":                            ": void",
		"(IJ[[BLjava/util/Map$Entry;)[Z": "int long byte[][] java.util.Map$Entry: boolean[]",
	} {
		if params, result, ok := name.ParseDescriptor(d); !ok || strings.Join(params, " ")+": "+result != want {
			t.Errorf("%s is %q, %q, %v; want %s", d, params, result, ok, want)
		} else if back := name.Descriptor(params, result); back != d {
			t.Errorf("%s is written %s again", d, back)
		}
	}
	for _, d := range []string{"", "V", "(", "()", "(V)V", "(I", "(L;)V", "(Lx)V", "()VV", "([)V", "(Q)V", "(" + strings.Repeat("I", 256) + ")V", "()" + strings.Repeat("[", 256) + "I"} {
		if params, result, ok := name.ParseDescriptor(d); ok {
			t.Errorf("%s is %q, %q", d, params, result)
		}
	}
}
