package source

import "testing"

// TestTopLevel checks generated classes, and dollar signs that do not separate class names.
func TestTopLevel(t *testing.T) {
	for class, want := range map[string]string{
		"com.mine.Feed": "com.mine.Feed", "com.mine.Feed$Item": "com.mine.Feed", "com.mine.Feed$Item$1": "com.mine.Feed", "Feed$1": "Feed",
		"com.mine.$Feed": "com.mine.$Feed", "$Feed$1": "$Feed", "com.mi$ne.Feed": "com.mi$ne.Feed", "": "",
		"com.mine.Feed$$ExternalSyntheticLambda0": "com.mine.Feed", "com.mine.Feed$Item$$Lambda$3": "com.mine.Feed", "com.mine.Feed$$Nest$smload": "com.mine.Feed",
	} {
		if got := TopLevel(class); got != want {
			t.Errorf("%q is in %q, want %q", class, got, want)
		}
	}
}
