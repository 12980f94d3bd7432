package finding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
)

// TestLittleInCommon: from a tenth of the tasks on, what is only here is called a saving.
func TestLittleInCommon(t *testing.T) {
	stack := "android.os.Handler.handle()V;p.A.run()V;android.util.%s()I 5\n"
	for _, alone := range []int{9, 10} {
		subject := fmt.Sprintf(stack, "Log.both")
		for i := range alone {
			subject += fmt.Sprintf(stack, fmt.Sprintf("Only%d.call%d", i, i))
		}
		set := compare(t, subject, fmt.Sprintf(stack, "Log.both"))
		little := alone == 10
		noted := slices.ContainsFunc(set.Result.Comparability, func(w trace.Warning) bool { return w.Code == "little-in-common" })
		if got := set.Result.Summary.LittleInCommon(); got != little || noted != little {
			t.Errorf("1 of %d tasks in both is little: %v, and is noted: %v", alone+1, got, noted)
		}
		said := strings.Join(words.NewHeadline(set, words.Each(nil, 0)).Sentences(), " ")
		if strings.Contains(said, "could be saved") == little || (set.Headline().Rows == 0) != little {
			t.Errorf("of 1 of %d tasks in both it says %q", alone+1, said)
		}
	}
}
