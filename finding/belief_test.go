package finding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
)

// TestLittleInCommon checks that work only in the subject is a saving if at least a fifth of the
// energy is for common work, also for swapped runs.
func TestLittleInCommon(t *testing.T) {
	stack := "android.os.Handler.handle()V;p.A.run()V;android.util.%s()I %d\n"
	for _, alone := range []int{4, 5} {
		subject := fmt.Sprintf(stack, "Log.both", 5_000_100)
		for i := range alone {
			subject += fmt.Sprintf(stack, fmt.Sprintf("Only%d.call%d", i, i), 5_000_000-7*i)
		}
		rest := "android.os.Looper.loop()V 7\n" // no amount is a multiple of it: it is no sample
		reference := fmt.Sprintf(stack, "Log.both", 5_000_100)
		set := compare(t, subject+rest, reference+rest)
		if swapped := compare(t, reference+rest, subject+rest); swapped.Result.Summary.LittleInCommon() != set.Result.Summary.LittleInCommon() {
			t.Errorf("1 of %d tasks in both: swapped runs differ", alone+1)
		}
		little := alone == 5
		noted := slices.ContainsFunc(set.Result.Comparability, func(w trace.Warning) bool { return w.Code == "little-in-common" })
		if got := set.Result.Summary.LittleInCommon(); got != little || noted != little {
			t.Errorf("1 of %d tasks in both is little: %v, and is noted: %v", alone+1, got, noted)
		}
		said := strings.Join(words.NewHeadline(set, words.ScalePerFigure(nil, 0)).Sentences(), " ")
		if strings.Contains(said, "could be saved") == little || (set.Headline().Rows == 0) != little {
			t.Errorf("of 1 of %d tasks in both it says %q", alone+1, said)
		}
	}
}
