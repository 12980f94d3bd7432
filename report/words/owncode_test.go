package words

import "testing"

func TestOwnCode(t *testing.T) {
	for _, test := range []struct {
		packages []string
		room     int
		want     string
	}{
		{nil, 30, "none ran"},
		{[]string{""}, 30, "(no package)"},
		{[]string{"com.mine"}, 30, "com.mine"},
		{[]string{"com.mine", "com.mine.ui"}, 30, "com.mine.*"},
		{[]string{"com.mine.a.x", "com.mine.a.y", "org.mine"}, 30, "com.mine.a.*, org.mine"},
		{[]string{"a.b", "com.mine.a", "com.mine.b", "org.mine"}, 30, "com.mine.*, a.b, org.mine"},
		{[]string{"a.b", "com.mine.a", "com.mine.b", "org.mine"}, 20, "com.mine.*, +2 more"},
		{[]string{"a.b", "com.mine.a", "com.mine.b", "org.mine"}, 3, "com.mine.*, +2 more"},
		{[]string{"main", "mains"}, 30, "main, mains"},
	} {
		if got := OwnCode(test.packages, false, test.room); got != test.want {
			t.Errorf("%q in %d columns: %q, want %q", test.packages, test.room, got, test.want)
		}
	}
	if got := OwnCode(nil, true, 30); got != "not known" {
		t.Errorf("own code that nothing tells: %q", got)
	}
}
