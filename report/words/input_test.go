package words_test

import (
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/report/words"
)

func TestNames(t *testing.T) {
	for paths, want := range map[[2]string][2]string{
		{"new.trace", "old.trace.gz"}:       {"new", "old"},
		{"a/new.trace", "b/old.trace"}:      {"new", "old"},
		{"new/run.trace", "old/run.trace"}:  {"new/run", "old/run"},
		{"new/a/b/emu", "old/a/b/emu"}:      {"new/…/emu", "old/…/emu"},
		{"new/./b/run.trace", "old/b/run"}:  {"new/…/run", "old/…/run"},
		{"run.trace", "run.trace"}:          {"run", "run"},
		{"run.trace", "run.folded"}:         {"run.trace", "run.folded"},
		{"run.trace", "old/run.trace"}:      {"run.trace", "old/run.trace"},
		{"/run.trace", "/tmp/run.trace"}:    {"/run.trace", "/tmp/run.trace"},
		{"../run.trace", "../../run.trace"}: {"../run.trace", "../../run.trace"},
		{"-", "-"}:                          {"-", "-"},
	} {
		here, there := words.Names(filepath.FromSlash(paths[0]), filepath.FromSlash(paths[1]))
		if here != want[0] || there != want[1] {
			t.Errorf("%v are %s and %s, want %v", paths, here, there, want)
		}
	}
}
