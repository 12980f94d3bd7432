package layering

// A rule says what a package may import beside the standard library.
type rule struct {
	// inside are packages of this module, by folder.
	inside []string
	// outside are modules.
	outside []string
	// command marks programs and servers, which own flags, logs and exit codes.
	command bool
}

// table is the law, in layers: each package imports from layers above its own
// line only. ARCHITECTURE.md says why.
var table = map[string]rule{
	// Terms.
	"units":           {},
	"internal/syntax": {},
	"trace":           {inside: []string{"units"}},

	// Leaves: they know no traces.
	"classes": {inside: []string{"internal/syntax"}},
	"mapping": {inside: []string{"internal/syntax"}},

	// From bytes to trees. Only ingest knows formats.
	"ingest/art":    {inside: []string{"trace", "units", "internal/syntax"}},
	"ingest/folded": {inside: []string{"trace", "units", "internal/syntax"}},
	"ingest": {
		inside:  []string{"ingest/art", "ingest/folded", "trace", "units", "internal/syntax"},
		outside: []string{"github.com/klauspost/compress"},
	},
	"energy": {inside: []string{"trace", "units", "internal/syntax"}},
	"cct":    {inside: []string{"trace", "units"}},

	// From trees to tasks.
	"preprocess": {inside: []string{"cct", "trace", "units", "classes", "mapping"}},
	"eflask":     {inside: []string{"preprocess", "cct", "trace", "units"}},
	"analysis": {inside: []string{
		"ingest", "energy", "cct", "preprocess", "eflask", "classes", "mapping",
		"trace", "units", "internal/syntax",
	}},

	// From results to people. Only report knows output formats.
	"report": {inside: []string{"analysis", "eflask", "preprocess", "cct", "trace", "units"}},
	"report/text": {
		inside:  []string{"report", "units"},
		outside: []string{"github.com/jedib0t/go-pretty/v6", "github.com/fatih/color"},
	},

	// Programs.
	"cmd/diffprof": {
		command: true,
		inside:  []string{"analysis", "preprocess", "report", "report/text", "classes", "units"},
		outside: []string{
			"github.com/spf13/cobra", "github.com/spf13/pflag",
			"github.com/schollz/progressbar/v3", "golang.org/x/term",
		},
	},
	"internal/layering": {},
	"internal/tally":    {command: true},
}

// testModules are the modules that tests may import beside those of the package
// they test.
var testModules = []string{
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"golang.org/x/tools", // txtar
}

// commandOnly are packages of the standard library that only commands import:
// what is below them returns what it has to say.
var commandOnly = []string{"flag", "log", "log/slog", "os/signal"}
