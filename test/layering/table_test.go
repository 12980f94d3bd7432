package layering

// A rule lists what a package may import besides the standard library.
type rule struct {
	// inside are packages of this module, by folder.
	inside []string
	// outside are packages of other modules, by module.
	outside []string
	// command is true for programs and servers, which may use flags, logs and exit codes.
	command bool
}

// table has a rule for each package, the lowest layer first. A package imports only packages in the
// lines above its own. ARCHITECTURE.md explains why.
var table = map[string]rule{
	// Terms.
	"units":           {},
	"internal/syntax": {},
	"name":            {},
	"trace":           {inside: []string{"name", "units"}},
	"trace/tracetest": {inside: []string{"name", "trace", "units"}}, // for tests only

	"internal/memory":  {outside: []string{"github.com/KimMachineGun/automemlimit", "github.com/pbnjay/memory"}},
	"internal/nearest": {outside: []string{"github.com/agnivade/levenshtein"}},
	"internal/table":   {inside: []string{"internal/nearest", "internal/syntax"}, outside: []string{"go.yaml.in/yaml/v3"}},

	// Requests to components.
	"trigger": {inside: []string{"internal/table", "name", "trace"}, outside: []string{"go.yaml.in/yaml/v3"}}, // YAML for tests only

	// Statistics of repeated runs.
	"repeats":        {outside: []string{"gonum.org/v1/gonum"}},
	"regression":     {outside: []string{"gonum.org/v1/gonum"}},
	"history/change": {inside: []string{"repeats"}, outside: []string{"gonum.org/v1/gonum"}},

	// Figures of a fleet of devices about an app.
	"fleet/claim": {},

	// Facts about code without a run.
	"code/path":        {},
	"code/dex":         {inside: []string{"internal/syntax"}},
	"code/dex/dextest": {inside: []string{"code/dex"}}, // for tests only
	"code/dex/smali":   {inside: []string{"code/dex"}},
	"code/classes":     {inside: []string{"code/dex", "internal/syntax"}},
	"code/debuginfo":   {},
	"code/program":     {inside: []string{"code/debuginfo"}},

	"code/program/programtest": {}, // for tests only
	"code/mapping":             {inside: []string{"name"}},
	"code/manifest":            {inside: []string{"internal/syntax"}},
	"code/platform":            {inside: []string{"name", "code/classes"}},
	"code/bytecode":            {inside: []string{"name", "code/dex"}},

	// Apps, and their rewriting.
	"apk": {
		inside:  []string{"internal/syntax", "code/manifest"},
		outside: []string{"github.com/klauspost/compress", "github.com/pavlo-v-chernykh/keystore-go/v4", "github.com/smallstep/pkcs7", "software.sslmate.com/src/go-pkcs12"},
	},
	"instrument/runtime": {},
	"instrument": {
		inside:  []string{"apk", "code/classes", "code/dex", "code/dex/smali", "code/manifest", "code/path", "code/platform", "instrument/runtime", "internal/nearest", "internal/syntax", "name"},
		outside: []string{"github.com/klauspost/compress"},
	},

	// From names to source. Only syntaxtree knows tree-sitter, which wazero runs.
	"code/source/internal/syntaxtree": {outside: []string{"github.com/tetratelabs/wazero"}},
	"code/source/internal/outline":    {inside: []string{"code/source/internal/syntaxtree"}},
	"code/source/internal/store":      {inside: []string{"code/source/internal/outline"}},
	"code/source": {
		inside:  []string{"name", "code/source/internal/outline", "code/source/internal/store", "code/source/internal/syntaxtree", "code/classes"},
		outside: []string{"github.com/sabhiram/go-gitignore"},
	},
	"code/source/internal/truth": { // for tests only
		inside: []string{"name", "code/source", "code/bytecode", "code/source/internal/syntaxtree", "code/classes"},
	},

	// From bytes to trees. Only ingest knows the formats. A format imports no other format,
	// except that the lines of JoularJX are folded stacks.
	"ingest/flows":      {inside: []string{"trace", "internal/syntax"}},
	"ingest/format":     {inside: []string{"ingest/flows", "trigger", "trace", "units"}},
	"ingest/art":        {inside: []string{"ingest/format", "ingest/flows", "name", "trace", "internal/syntax"}},
	"ingest/stacks":     {inside: []string{"name", "trace"}, outside: []string{"github.com/ianlancetaylor/demangle"}},
	"ingest/folded":     {inside: []string{"ingest/format", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/joularjx":   {inside: []string{"ingest/folded", "ingest/format", "trace", "units"}},
	"ingest/jfr":        {inside: []string{"ingest/format", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/wire":       {},
	"ingest/folder":     {},
	"ingest/profilo":    {inside: []string{"ingest/format", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/petra":      {inside: []string{"ingest/format", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/abi":        {},
	"ingest/clock":      {inside: []string{"code/platform", "name", "trace", "units"}},
	"ingest/descriptor": {inside: []string{"trace"}},
	"ingest/process":    {inside: []string{"trace"}},
	"ingest/event":      {inside: []string{"trace", "units"}},
	"ingest/ftrace":     {inside: []string{"ingest/abi", "ingest/descriptor", "trigger", "ingest/process", "name", "trace", "units"}},
	"ingest/calls":      {inside: []string{"code/path", "ingest/format", "ingest/stacks", "name", "trace", "internal/syntax"}},
	"ingest/atrace":     {inside: []string{"ingest/format", "ingest/ftrace", "trigger", "trace", "internal/syntax"}},
	"ingest/document":   {inside: []string{"units"}, outside: []string{"github.com/go-json-experiment/json"}},
	"ingest/chrome":     {inside: []string{"ingest/format", "ingest/document", "ingest/event", "ingest/process", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/otlp":       {inside: []string{"ingest/document", "ingest/format", "ingest/stacks", "name", "trace", "trigger", "internal/syntax"}},
	"ingest/speedscope": {inside: []string{"ingest/format", "ingest/document", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/firefox":    {inside: []string{"code/program", "ingest/format", "ingest/document", "ingest/process", "ingest/stacks", "name", "trace", "units", "internal/syntax"}},
	"ingest/simpleperf": {inside: []string{"ingest/format", "ingest/event", "ingest/process", "ingest/stacks", "ingest/wire", "trace", "units", "internal/syntax"}},

	"ingest/formattest": { // for tests only
		inside: []string{"ingest/flows", "ingest/format", "trace", "trace/tracetest", "internal/syntax"}, outside: []string{"golang.org/x/tools"},
	},

	// Measurements and requests without calls.
	"ingest/align":        {inside: []string{"trace", "units"}},
	"ingest/batterystats": {inside: []string{"ingest/format", "trace", "units", "internal/syntax"}},
	"ingest/meter":        {inside: []string{"ingest/format", "trace", "units", "internal/syntax"}},
	"ingest/logcat":       {inside: []string{"ingest/format", "ingest/stacks", "trigger", "trace", "internal/syntax"}},
	"ingest/strace":       {inside: []string{"ingest/format", "ingest/descriptor", "ingest/process", "ingest/stacks", "trigger", "trace", "internal/syntax"}},

	"ingest/perfscript": {inside: []string{"ingest/format", "ingest/event", "ingest/process", "ingest/stacks", "trace", "units", "internal/syntax"}},
	// perf.data: the file, and the address space.
	"ingest/perf/internal/data":  {inside: []string{"code/program", "ingest/wire", "units"}, outside: []string{"github.com/klauspost/compress"}},
	"ingest/perf/internal/image": {inside: []string{"code/debuginfo", "code/program", "ingest/perf/internal/data"}},
	"ingest/perf": {inside: []string{
		"code/program", "ingest/format", "ingest/event", "ingest/process", "ingest/stacks", "ingest/perf/internal/data", "ingest/perf/internal/image",
		"trace", "units", "internal/syntax",
	}},
	"ingest/pprof": {
		inside:  []string{"ingest/format", "ingest/stacks", "ingest/wire", "trace", "units", "internal/syntax"},
		outside: []string{"github.com/google/pprof", "github.com/ianlancetaylor/demangle"},
	},
	"ingest/perfetto/clock":  {inside: []string{"ingest/wire"}},
	"ingest/perfetto/order":  {},
	"ingest/perfetto/symbol": {inside: []string{"ingest/wire"}},
	"ingest/perfetto": {
		inside: []string{
			"ingest/format", "ingest/perfetto/clock", "ingest/perfetto/order", "ingest/perfetto/symbol",
			"ingest/ftrace", "ingest/stacks", "ingest/wire", "trigger", "trace", "units", "internal/syntax",
		},
		outside: []string{"github.com/klauspost/compress"},
	},
	"ingest": {
		inside:  []string{"ingest/art", "ingest/atrace", "ingest/batterystats", "ingest/calls", "ingest/chrome", "ingest/clock", "ingest/document", "ingest/firefox", "ingest/flows", "ingest/folded", "ingest/folder", "ingest/format", "ingest/jfr", "ingest/joularjx", "ingest/logcat", "ingest/meter", "ingest/otlp", "ingest/perf", "ingest/perfetto", "ingest/perfscript", "ingest/petra", "ingest/pprof", "ingest/profilo", "ingest/simpleperf", "ingest/speedscope", "ingest/strace", "trace", "internal/syntax"},
		outside: []string{"github.com/klauspost/compress"},
	},
	// The power of components, and the accounting.
	"energy/profile": {inside: []string{"trace", "units", "internal/syntax"}},
	"energy/model": {
		inside:  []string{"energy/profile", "internal/nearest", "internal/syntax", "internal/table", "trace", "units"},
		outside: []string{"go.yaml.in/yaml/v3"},
	},
	"energy/machine": {inside: []string{"energy/model", "trace", "units"}},
	"energy/bundle":  {inside: []string{"energy/machine", "energy/model", "trace", "units"}},
	"energy":         {inside: []string{"energy/bundle", "energy/machine", "energy/model", "trigger", "name", "trace", "units"}},
	"energy/fit":     {inside: []string{"energy", "energy/machine", "energy/model", "trigger", "trace", "units"}, outside: []string{"gonum.org/v1/gonum"}},
	"cct":            {inside: []string{"name", "trace", "units"}},
	"lines/metered":  {inside: []string{"name", "regression", "repeats", "trace", "units"}},
	"lines":          {inside: []string{"cct", "name", "repeats", "trace", "units"}},

	"energy/apicost": {inside: []string{"cct", "code/platform", "name", "trace", "units", "internal/syntax"}},

	// From trees to tasks.
	"preprocess": {inside: []string{"name", "code/platform", "cct", "trace", "units"}},
	"eflask": {
		inside:  []string{"preprocess", "name", "trace", "units"},
		outside: []string{"github.com/agnivade/levenshtein", "github.com/emirpasic/gods"},
	},
	"appcode": {inside: []string{"cct", "name", "eflask", "preprocess", "trace", "units"}},
	"analysis": {inside: []string{
		"appcode", "name", "repeats",
		"ingest", "ingest/batterystats", "ingest/align", "energy", "energy/apicost", "energy/fit", "energy/bundle", "energy/machine", "energy/model", "energy/profile", "trigger", "cct", "preprocess", "eflask", "code/bytecode", "code/classes", "code/dex", "code/manifest", "code/mapping", "code/platform", "code/source", "lines", "lines/metered",
		"trace", "units", "internal/syntax", "internal/memory",
	}, outside: []string{"github.com/agnivade/levenshtein", "github.com/aymanbagabas/go-udiff", "github.com/dustin/go-humanize"}},

	// The judgement, for every surface.
	"finding": {inside: []string{"fleet/claim", "energy/bundle", "energy/model", "trigger", "repeats", "appcode", "name", "code/platform", "analysis", "eflask", "preprocess", "cct", "trace", "units"}},

	// Groups of apps.
	"group": {
		inside:  []string{"repeats", "analysis", "eflask", "finding", "preprocess", "trace", "units", "internal/memory", "internal/table"},
		outside: []string{"github.com/klauspost/compress"},
	},

	// The energy of runs, commit by commit.
	"history/git": {},
	"history/run": {
		inside:  []string{"analysis", "cct", "energy", "energy/bundle", "ingest/align", "lines", "name", "trace", "units"},
		outside: []string{"github.com/klauspost/compress"},
	},
	"history":       {inside: []string{"analysis", "history/git", "history/run", "trace", "units"}, outside: []string{"modernc.org/sqlite"}},
	"history/trend": {inside: []string{"analysis", "cct", "name", "eflask", "finding", "history", "history/change", "history/git", "repeats", "trace", "units", "internal/nearest"}},

	// The settings of a project, for all programs.
	"settings": {
		inside:  []string{"analysis", "finding", "energy/machine", "energy/model", "ingest", "ingest/align", "preprocess", "code/platform", "units", "internal/nearest", "internal/table"},
		outside: []string{"go.yaml.in/yaml/v3", "github.com/dustin/go-humanize"},
	},

	// From results to people. Only report knows output formats.
	"report/words":    {inside: []string{"history/change", "history/trend", "fleet/claim", "energy/bundle", "energy/model", "repeats", "appcode", "ingest/align", "finding", "analysis", "eflask", "trace", "units"}},
	"report":          {inside: []string{"history", "history/change", "history/trend", "fleet/claim", "energy/bundle", "repeats", "appcode", "energy", "energy/apicost", "finding", "group", "lines", "lines/metered", "report/words", "name", "code/platform", "ingest", "ingest/align", "analysis", "eflask", "preprocess", "cct", "trace", "units", "internal/syntax"}},
	"report/markdown": {inside: []string{"name", "analysis", "eflask", "finding", "report", "report/words", "units"}},
	"report/text": {
		inside:  []string{"analysis", "name", "energy/fit", "energy/model", "finding", "report", "report/words", "trace", "units"},
		outside: []string{"github.com/jedib0t/go-pretty/v6", "github.com/dustin/go-humanize"},
	},
	"report/html": {
		inside:  []string{"report", "report/words", "finding", "analysis", "units"},
		outside: []string{"github.com/klauspost/compress"},
	},
	"report/profile": {
		inside:  []string{"name", "trace", "cct", "preprocess", "eflask", "analysis", "finding", "report", "report/words", "units"},
		outside: []string{"github.com/google/pprof"},
	},
	// Only check knows the formats of build servers.
	"report/check":  {inside: []string{"analysis", "name", "finding", "report", "report/words", "units"}},
	"report/render": {inside: []string{"analysis", "report", "report/check", "report/html", "report/markdown", "report/profile", "report/text"}},

	// Fleets of devices, which have samples and no traces.
	"fleet/samples/column": {inside: []string{"internal/syntax"}, outside: []string{"github.com/parquet-go/parquet-go", "github.com/parquet-go/parquet-go/format"}},
	"fleet/samples/table": {
		inside:  []string{"fleet/samples/column", "internal/syntax"},
		outside: []string{"github.com/klauspost/compress", "modernc.org/sqlite"},
	},
	"fleet/samples": {inside: []string{"fleet/samples/column", "fleet/samples/table", "internal/syntax"}, outside: []string{"go.yaml.in/yaml/v3"}},
	"fleet/pairs":   {inside: []string{"fleet/samples"}},
	"fleet/noise":   {},
	"fleet/sums":    {inside: []string{"internal/syntax"}},
	"fleet/paper":   {inside: []string{"fleet/sums"}, outside: []string{"gonum.org/v1/gonum"}},
	"fleet/within":  {inside: []string{"fleet/pairs", "fleet/sums"}, outside: []string{"gonum.org/v1/gonum"}},
	"fleet/tree":    {inside: []string{"fleet/claim", "fleet/sums"}},
	"fleet": {
		inside:  []string{"fleet/claim", "fleet/noise", "fleet/pairs", "fleet/paper", "fleet/samples", "fleet/sums", "fleet/tree", "fleet/within", "internal/syntax"},
		outside: []string{"github.com/klauspost/compress", "gonum.org/v1/gonum"},
	},

	// For editors. Only server and its subpackages know the Language Server Protocol.
	"server/internal/frame":  {outside: []string{"go.lsp.dev/jsonrpc2"}},
	"server/internal/buffer": {},
	"server/internal/page":   {},
	"server/internal/lsp": {
		inside:  []string{"server/internal/buffer"},
		outside: []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol", "go.lsp.dev/uri"},
	},
	"server/internal/place": {inside: []string{"units", "name", "finding", "lines", "lines/metered", "server/internal/buffer", "code/source"}},
	"server/internal/client": {
		inside:  []string{"server/internal/lsp"},
		outside: []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol"},
	},
	"server/internal/runner": {inside: []string{"finding", "analysis"}},
	"server/internal/workspace": {
		inside: []string{
			"server/internal/buffer", "server/internal/lsp", "server/internal/place",
			"finding", "history", "history/trend", "report/words", "analysis", "settings", "name", "code/classes", "code/source", "units",
		},
		outside: []string{"go.lsp.dev/protocol", "go.lsp.dev/uri"},
	},
	// For coding assistants. Only mcp knows the Model Context Protocol.
	"docs": {},
	"mcp": {
		inside: []string{
			"analysis", "code/source", "finding", "history", "history/git", "history/trend", "ingest", "internal/nearest", "name", "report", "report/render", "settings", "units",
		},
		outside: []string{"github.com/modelcontextprotocol/go-sdk"},
	},
	"server": {
		command: true,
		inside: []string{
			"server/internal/frame", "server/internal/buffer", "server/internal/lsp", "server/internal/place",
			"server/internal/client", "server/internal/page", "server/internal/runner", "server/internal/workspace",
			"code/source", "energy/apicost", "docs", "fleet", "finding", "history/trend", "lines/metered", "mcp", "name", "analysis", "report", "report/render", "report/words", "settings", "trace", "units",
		},
		outside: []string{"go.lsp.dev/jsonrpc2", "go.lsp.dev/protocol", "go.lsp.dev/uri"},
	},

	// Comments on pull requests.
	"comment":             {},
	"pipeline":            {},
	"comment/commenttest": {}, // for tests only

	// Recordings of phones.
	"record":            {},
	"record/recordtest": {inside: []string{"record"}}, // for tests only

	// Reports on fleets.
	"report/crowd": {inside: []string{"fleet", "fleet/claim", "fleet/samples", "fleet/tree", "report/html", "report/words"}},
	// Simulated fleets, whose results are known.
	"fleet/simulation": {inside: []string{"fleet/samples"}, outside: []string{"github.com/parquet-go/parquet-go"}},

	// Programs.
	"cmd/diffprof": {
		command: true,
		inside: []string{
			"fleet", "fleet/paper", "fleet/samples", "fleet/simulation", "fleet/sums", "report/crowd",
			"analysis", "comment", "finding", "group", "history", "history/git", "history/trend", "pipeline", "record", "report", "report/render", "report/words", "code/classes", "code/platform",
			"docs", "mcp", "server", "settings", "internal/nearest", "report/text", "energy/model", "energy/profile", "units", "internal/syntax",
			"internal/table", "apk", "instrument", "instrument/runtime", "energy/apicost", "name", "trigger",
		},
		outside: []string{
			"github.com/spf13/cobra", "github.com/spf13/pflag",
			"golang.org/x/term",
		},
	},
	// The engine of the page that compares in the browser.
	"cmd/site": {command: true, inside: []string{"analysis", "finding", "report", "report/render", "settings"}},

	// Programs and libraries for developers. Nothing that ships imports tools/.
	"tools/android":      {},
	"tools/artwrite":     {inside: []string{"name", "trace"}},
	"tools/apicosts":     {command: true, inside: []string{"name", "tools/artwrite"}},
	"tools/cases":        {command: true, inside: []string{"name", "tools/android", "tools/artwrite"}},
	"tools/classes":      {command: true, inside: []string{"code/classes"}},
	"tools/large":        {command: true, inside: []string{"name", "ingest", "tools/artwrite", "trace"}},
	"tools/picture":      {command: true},
	"tools/release":      {command: true},
	"tools/robolectric":  {command: true, inside: []string{"ingest", "ingest/calls", "name", "trace"}},
	"tools/studies":      {command: true, inside: []string{"history/change", "repeats"}, outside: []string{"gonum.org/v1/gonum"}},
	"tools/surfaces":     {command: true, inside: []string{"report", "report/words", "units"}},
	"tools/truth/run":    {inside: []string{"name", "code/platform", "cct", "trace", "units"}},
	"tools/truth/app":    {inside: []string{"name", "tools/android", "tools/truth/run", "units"}},
	"tools/truth/change": {inside: []string{"name", "code/platform", "code/classes", "tools/android", "tools/truth/app", "tools/truth/run", "units"}},
	"tools/truth/score":  {inside: []string{"analysis", "cct", "eflask", "preprocess", "tools/truth/run", "units"}},
	"tools/truth": {
		command: true,
		inside:  []string{"analysis", "cct", "eflask", "ingest", "preprocess", "tools/truth/app", "tools/truth/change", "tools/truth/run", "tools/truth/score"},
	},
	"test/cached":             {}, // for tests only
	"test/clock":              {}, // tests only
	"test/layering":           {},
	"test/editors":            {},
	"test/paper":              {},
	"internal/shorten":        {},                                                                                                              // for tests only
	"test/phone":              {inside: []string{"energy/machine", "energy/model", "trace", "units"}, outside: []string{"gonum.org/v1/gonum"}}, // for tests only
	"tools/changed":           {command: true},
	"tools/concurrent":        {command: true},
	"tools/tally":             {command: true},
	"tools/plain":             {command: true},
	"tools/commits":           {command: true},
	"history/trend/trendtest": {inside: []string{"analysis", "history", "ingest", "units"}}, // for tests only
	"report/reporttest": { // for tests only
		inside:  []string{"analysis", "cct", "eflask", "finding", "group", "history", "history/git", "history/trend", "history/trend/trendtest", "ingest", "name", "report", "trace/tracetest", "units"},
		outside: []string{"github.com/rogpeppe/go-internal/txtar"},
	},
}

// testModules are the modules that tests may import in addition to those of the package under test.
var testModules = []string{
	"github.com/klauspost/compress",
	"github.com/parquet-go/parquet-go",
	"github.com/rogpeppe/go-internal",
	"github.com/google/pprof",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"go.yaml.in/yaml/v3",
	"golang.org/x/tools",                     // txtar
	"github.com/modelcontextprotocol/go-sdk", // the client of a server under test
}

// commandOnly are packages of the standard library that only commands may import. Other packages
// return their messages.
var commandOnly = []string{"flag", "log", "log/slog", "os/signal"}

// nameReaders may parse a method name from a text: decoders, the server for names that a client
// writes, and programs that generate recordings.
var nameReaders = []string{"ingest/stacks", "ingest/jfr", "report", "report/reporttest", "server", "tools/apicosts", "tools/cases", "tools/truth/app", "tools/truth/change"}
