package lsp

import "testing"

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		uri     string
		windows bool
		path    string
	}{
		{"file:///a/b.java", false, "/a/b.java"},
		{"file:///a%20b/%23c/%C3%BC%F0%9F%98%80.kt", false, "/a b/#c/ü😀.kt"},
		{"file:///a%25b", false, "/a%b"},
		{"file:///a+b", false, "/a+b"},
		{"file:///a/../b//c", false, "/b/c"},
		{"file://localhost/a", false, "/a"},
		{"file://other/a", false, ""},
		{"file:a", false, ""},
		{"file:///a%00b", false, ""},
		{"file:///%zz", false, ""},
		{"untitled:x", false, ""},
		{"", false, ""},
		{"file:///c%3A/Users/me/x.java", true, `C:\Users\me\x.java`},
		{"file:///C:/Users/me/x.java", true, `C:\Users\me\x.java`},
		{"file://server/share/x.java", true, `\\server\share\x.java`},
	} {
		path, err := pathFor(c.uri, c.windows)
		if path != c.path || (err == nil) != (c.path != "") {
			t.Errorf("pathFor(%q, %v) = %q, %v; want %q", c.uri, c.windows, path, err, c.path)
		}
		if err != nil {
			continue
		}
		back, err := pathFor(string(uriFor(path, c.windows)), c.windows)
		if back != path || err != nil {
			t.Errorf("%q became %q, which is %q, %v", path, uriFor(path, c.windows), back, err)
		}
	}
}
