package finding_test

import (
	"strings"
	"testing"
)

// TestExtractedCode checks that code which moved between methods of the app is no saving. Developers
// extract methods, inline them and rename them. New code still counts, and so does what moved code
// costs more.
func TestExtractedCode(t *testing.T) {
	const click = "android.os.Looper.loop()V;com.app.Main.onClick()V;com.app.Feed.load()V"
	const rest = "android.os.Looper.loop()V;com.app.Main.onMenu()V;android.view.View.draw()V 70000003\n" +
		"android.os.Looper.loop()V;com.app.Main.onMenu()V;com.app.Menu.show()V 30000001\n"
	const whole = click + " 50000003\n" + click + ";java.io.File.list()V 20000001\n"
	const parse, sort = click + ";com.app.Feed.parse()V", click + ";com.app.Feed.sort()V"
	const moved, read = click + ";com.app.a.b()V", ";java.io.File.length()J 3000001\n"
	const list = ";java.io.File.list()V 20000001\n"
	for _, c := range []struct {
		name               string
		subject, reference string
		counts             bool
	}{
		{"extracted", click + " 20000001\n" + parse + " 30000002\n" + click + list, whole, false},
		{"extracted twice", click + " 1000000\n" + parse + " 19000001\n" + parse + ";com.app.Feed.item()V 30000002\n" + click + list, whole, false},
		{"inlined", whole, click + " 20000001\n" + parse + " 30000002\n" + click + list, false},
		{"inlined where one method calls it", whole + sort + ";com.app.Feed.parse()V 9000000\n", click + " 20000001\n" + parse + " 30000002\n" + sort + ";com.app.Feed.parse()V 9000000\n" + click + list, false},
		{"renamed", click + " 20000001\n" + sort + " 30000002\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + click + list, false},
		{"extracted and slower", click + " 20000001\n" + parse + " 900000000\n" + click + list, whole, true},
		{"renamed with its class", click + " 20000001\n" + moved + " 30000002\n" + moved + read + click + list, click + " 20000001\n" + parse + " 30000002\n" + parse + read + click + list, false},
		{"renamed with its class, a small one", click + " 50000003\n" + moved + " 40002\n" + moved + read + click + list, click + " 50000003\n" + parse + " 40002\n" + parse + read + click + list, false},
		{"a callback renamed with its class", strings.ReplaceAll(whole, "Main.onClick", "a.onClick"), whole, false},
		{"replaced by a method that calls others", click + " 20000001\n" + moved + " 30000002\n" + moved + ";java.io.File.delete()Z 3000001\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + parse + read + click + list, true},
		{"replaced by a method of another class", click + " 20000001\n" + click + ";com.app.Net.sync()V 30000002\n" + click + list, click + " 20000001\n" + parse + " 30000002\n" + click + list, true},
		{"new", whole + parse + " 30000002\n", whole, true},
		{"new, and another callback costs less", whole + parse + " 30000002\n", whole + "android.os.Looper.loop()V;com.app.Main.onMenu()V;com.app.Menu.hide()V 30000002\n", true},
		{"slower, and what it calls costs less", click + " 80000005\n" + parse + " 10000001\n", click + " 50000003\n" + parse + " 40000003\n", true},
	} {
		set := compare(t, rest+c.subject, rest+c.reference)
		if h := set.Headline(); (h.Rows > 0) != c.counts {
			t.Errorf("%s: %d rows count, savable %v: %+v", c.name, h.Rows, h.Savable, h.Portions)
		}
		if h := compare(t, rest+c.reference, rest+c.subject).Headline(); !c.counts && h.Rows > 0 {
			t.Errorf("%s, swapped: %d rows count: %+v", c.name, h.Rows, h.Portions)
		}
	}
}
