package firefox_test

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/diffprof/diffprof/code/program/programtest"
	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// native returns a profile as samply writes it. The function at each address calls the function at
// the next address. The last function is in a library without a build id.
func native(path string, addresses ...uint64) string {
	var names, frames, prefixes, functions, resources, at []string
	for i, a := range addresses {
		names = append(names, fmt.Sprintf("%q", fmt.Sprintf("%#x", a)))
		functions, frames = append(functions, fmt.Sprint(i)), append(frames, fmt.Sprint(i))
		at = append(at, fmt.Sprint(a))
		prefixes = append(prefixes, []string{"null", fmt.Sprint(i - 1)}[min(i, 1)])
		resources = append(resources, "0")
	}
	list := func(texts []string) string { return "[" + strings.Join(texts, ",") + "]" }
	return `{"meta":{"interval":1,"startTime":0,"preprocessedProfileVersion":49},
"libs":[{"name":"app","path":"` + path + `","codeId":null,"breakpadId":"F4FE041914A834BF66C192664F6690470"}],
"threads":[{"name":"main","pid":"1","tid":1,"stringArray":` + list(append(names, `"app"`)) + `,"resourceTable":{"lib":[0],"name":[` + fmt.Sprint(len(names)) + `]},
"funcTable":{"name":` + list(functions) + `,"resource":` + list(resources) + `},"frameTable":{"func":` + list(frames) + `,"address":` + list(at) + `},
"stackTable":{"prefix":` + list(prefixes) + `,"frame":` + list(frames) + `},"samples":{"stack":[` + fmt.Sprint(len(addresses)-1) + `],"time":[1]}}]}`
}

// A run is a profile with its options.
type run struct {
	profile string
	firefox.Options
	warnings *[]trace.Warning
}

func (r run) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr, err := firefox.Decode(ctx, strings.NewReader(r.profile), sink, r.Options)
	if err == nil {
		*r.warnings = tr.Warnings
	}
	return tr, err
}

// stack decodes a profile of one sample, and returns its frames and the warning codes.
func stack(t *testing.T, profile string, o firefox.Options) (frames string, codes []string) {
	t.Helper()
	var warnings []trace.Warning
	text, err := tracetest.Show(context.Background(), run{profile, o, &warnings})
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text, " sample ")
	frames, _, _ = strings.Cut(rest, ", wall")
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	return frames, codes
}

// listing is a file as samply writes it next to a profile.
const listing = `{"data":[{"symbol_table":[{"rva":4096,"size":64,"symbol":1},{"rva":8192,"symbol":2,"frames":[{"function":2,"line":7}]}],
"debug_name":"app","debug_id":"f4fe0419-14a8-34bf-66c1-92664f669047","known_addresses":[[4660,0],[8200,1],[8300,9]]}],"string_table":["UNKNOWN","decode","_ZN3app5parseEv"]}`

// TestListedSymbols takes function names from the file that samply writes next to a profile.
func TestListedSymbols(t *testing.T) {
	profile := native("/bin/app", 0x1234, 0x2008, 0x206c, 0x3000)
	for _, c := range []struct{ listing, want, codes string }{
		{"", "app`0x1234 > app`0x2008 > app`0x206c > app`0x3000", "no-symbols"},
		{listing, "app`decode > app`app::parse() > app`0x206c > app`0x3000", "no-symbols"},
		{strings.Replace(listing, "f4fe0419", "f4fe0418", 1), "app`0x1234 > app`0x2008 > app`0x206c > app`0x3000", "no-symbols"}, // another build
	} {
		var o firefox.Options
		if c.listing != "" {
			o.Symbols = strings.NewReader(c.listing)
		}
		got, codes := stack(t, profile, o)
		if got != c.want || strings.Join(codes, " ") != c.codes {
			t.Errorf("%s\nwith warnings %s, want\n%s with %s", got, codes, c.want, c.codes)
		}
	}
	for i := range listing {
		var warnings []trace.Warning
		_, err := tracetest.Show(context.Background(), run{profile, firefox.Options{Symbols: strings.NewReader(listing[:i]), SymbolsPath: "app.syms.json"}, &warnings})
		var bad *syntax.Error
		if !errors.As(err, &bad) || bad.File != "app.syms.json" {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

// TestSymbolsOfPrograms takes function names from the program itself. Addresses in the profile
// count from the place where the program begins in memory.
func TestSymbolsOfPrograms(t *testing.T) {
	code := programtest.ELF([]elf.Prog64{{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Filesz: 0x2000, Vaddr: 0x400000}}, "decode", 0x401230, "")
	files := fstest.MapFS{"opt/app": {Data: code}}
	for _, c := range []struct {
		files       fs.FS
		path        string
		want, codes string
	}{
		{files, "/opt/app", "app`decode > app`0x1240", "no-symbols"},
		{files, "/home/me/app", "app`0x1234 > app`0x1240", "no-symbols"},
		{nil, "/opt/app", "app`0x1234 > app`0x1240", "no-symbols"},
	} {
		got, codes := stack(t, native(c.path, 0x1234, 0x1240), firefox.Options{Files: c.files})
		if got != c.want || strings.Join(codes, " ") != c.codes {
			t.Errorf("%s: %s with warnings %s, want %s with %s", c.path, got, codes, c.want, c.codes)
		}
	}
}

// TestFoldersOfLibraries keeps the path of a library whose functions have no names. It shows that
// the library belongs to the system.
func TestFoldersOfLibraries(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/lib/dyld": "/usr/lib/dyld", "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit": "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit",
		"./target/release/app": "./target/release/app", `C:\\Windows\\System32\\ntdll.dll`: "/C:/Windows/System32/ntdll.dll",
	} {
		var warnings []trace.Warning
		_, tr := tracetest.Samples(t, run{native(path, 0x1234), firefox.Options{}, &warnings})
		if m := tr.Methods[len(tr.Methods)-1]; m.Module != want {
			t.Errorf("%s is in %q, want %q", m.Label(), m.Module, want)
		}
	}
}

// TestSymbolFiles finds samply's list of functions under each of the file names that samply uses.
func TestSymbolFiles(t *testing.T) {
	for _, names := range [][2]string{{"app.json", "app.syms.json"}, {"app.json.gz", "app.syms.json"}, {"app.json.gz", "app.json.syms.json"}, {"app", "app.syms.json"}} {
		folder := t.TempDir()
		for i, text := range []string{native("/bin/app", 0x1234), listing} {
			if err := os.WriteFile(filepath.Join(folder, names[i]), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := firefox.SymbolFile(filepath.Join(folder, names[0])); got != filepath.Join(folder, names[1]) {
			t.Errorf("%s has the functions of %q, want %s", names[0], got, names[1])
		}
	}
}

// TestFirstSample gives a thread's first sample more work than fits in its interval.
func TestFirstSample(t *testing.T) {
	for spent, want := range map[string]string{"[2000,1000]": "2ms,1ms", "[14000,1000]": "2ms,1ms", "[1000,14000]": "1ms,14ms", "[null,3000]": "0s,3ms"} {
		profile := `{"meta":{"interval":1,"startTime":0,"preprocessedProfileVersion":49,"sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"µs"}},"libs":[],
"threads":[{"name":"main","pid":"1","tid":1,"stringArray":["run"],"funcTable":{"name":[0],"resource":[-1]},"frameTable":{"func":[0]},
"stackTable":{"prefix":[null],"frame":[0]},"samples":{"stack":[0,0],"time":[300,301],"threadCPUDelta":` + spent + `}}]}`
		var warnings []trace.Warning
		samples, _ := tracetest.Samples(t, run{profile, firefox.Options{}, &warnings})
		var got []string
		for _, s := range samples {
			got = append(got, time.Duration(s.CPU).String())
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %v, want %s", spent, got, want)
		}
	}
}
