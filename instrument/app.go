package instrument

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/code/manifest"
	"github.com/diffprof/diffprof/code/path"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/name"
)

// Options selects the methods that get probes, and the data that the copy of the app records.
type Options struct {
	// Include selects the methods that get probes. If it is nil, these are all methods of the app's
	// own code, and the methods of libraries that call the framework.
	Include *Filter
	// Exclude selects methods that get no probes.
	Exclude *Filter
	// Async adds probes that connect asynchronous work, such as Runnable.run, with the call that
	// started it, such as Handler.post.
	Async bool
	// Paths adds probes that count the paths through the methods.
	Paths bool
	// Invocations selects packages and classes of the framework whose calls are timed: the copy
	// records the start and end of each call. It always times calls for input and output, for locks
	// and for sleep, and methods for which Requests returns true. Calls are timed only with Paths,
	// and only in methods whose paths are counted.
	Invocations *Filter
	// Requests reports whether a method uses a hardware component of the device. It may be nil.
	Requests func(m name.Method) bool
	// Bursts makes the copy create bursts of load, to which the readings of an external meter can
	// be aligned.
	Bursts bool
}

// A Part is an APK of an app: the base APK, or a split.
type Part struct {
	// Name is the name of the file, for messages.
	Name    string
	Archive *apk.Archive
}

// A Result describes an instrumented copy of an app.
type Result struct {
	// Manifest is the manifest of the base APK. Base is the index of the base APK among the parts.
	Manifest *manifest.Manifest
	Base     int
	// Edits has the changed and new entries of each part.
	Edits [][]apk.Edit
	// Map is the map of IDs: JSON, compressed by gzip.
	Map []byte
	// Methods is the number of methods with probes. Sites is the number of framework calls in them.
	Methods, Sites int
	// HandOvers is the number of calls that start asynchronous work, such as Handler.post. Carriers
	// is the number of methods that may do such work, such as Runnable.run. Both numbers are 0
	// without Options.Async.
	HandOvers, Carriers int
	// Unclear is the number of calls that are not counted, because it is unknown which interface of
	// the platform declares the called method.
	Unclear int
	// Moved is the number of classes that moved to a new DEX file, because their own file had no
	// room for the references of probes.
	Moved int
	// Skipped lists the methods and DEX files that could not be changed.
	Skipped []Skipped
	// Paths is the number of methods whose paths are counted. WithoutPaths lists the methods whose
	// calls are counted, but not their paths. Without Options.Paths, there are no such methods.
	Paths int
	// Timed is the number of call sites at which the start and end of calls are recorded.
	Timed        int
	WithoutPaths []Skipped
}

// Skipped is a method or a DEX file that could not be changed.
type Skipped struct {
	// Dex is the name of the entry. If the app has several parts, it begins with the part's name.
	Dex string `json:"dex"`
	// Method is empty for a whole DEX file.
	Method string `json:"method,omitempty"`
	Reason string `json:"reason"`
}

// ErrInstrumented is returned for an app that already has probes.
var ErrInstrumented = errors.New("the app is instrumented already; give the app as it was before")

// A unit is a DEX file of the app.
type unit struct {
	// part is the index of the APK, and entry is the name of the entry in it. label identifies both
	// in messages.
	part         int
	entry, label string
	file         *dex.File
	// data is the new content if classes were moved out of the file. Otherwise it is nil.
	data    []byte
	members []dex.Members
	// methods are the methods that get probes.
	methods []planned
}

// A planner decides which methods of an app get probes, and rewrites them.
type planner struct {
	Options
	hierarchy
	parts []Part
	// entries has the names of the DEX files of each part, including added files.
	entries   [][]string
	ownership *platform.Ownership
	// defined has one made-up method for each class of the app, to find the app's own code.
	defined []name.Method
	result  *Result
	units   []*unit
	doc     document
	out     *mapWriter
	// kinds caches the results of kindsOf.
	kinds map[string]kinds
}

// App inserts probes into the methods of an app, and verifies the code of each method. The result
// lists the methods that cannot be changed, with the reason. Errors name the APK that they are
// about if there are several.
func App(ctx context.Context, parts []Part, o Options) (*Result, error) {
	p := &planner{Options: o, parts: parts, result: &Result{Edits: make([][]apk.Edit, len(parts))}, doc: document{Format: mapFormat}}
	if o.Paths {
		p.doc.Format, p.doc.Numbers = pathMapFormat, path.Version
	}
	p.doc.Bursts = o.Bursts
	if err := p.manifests(); err != nil {
		return nil, err
	}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	if err := p.makeRoom(); err != nil {
		return nil, err
	}
	p.out = newMapWriter(&p.doc)
	for _, u := range p.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.plan(u); err != nil {
			return nil, p.inPart(u.part, fmt.Errorf("%s: %w", u.entry, err))
		}
		data, err := p.rewrite(u)
		if err != nil {
			return nil, p.inPart(u.part, fmt.Errorf("%s: %w", u.entry, err))
		}
		if data == nil {
			data = u.data
		}
		if data != nil {
			p.edit(u.part, u.entry, data)
		}
		*u = unit{} // Free the memory for the other files.
	}
	if p.result.Methods == 0 {
		return p.result, p.inPart(p.result.Base, errors.New("no method got probes"+p.cause()))
	}
	return p.result, p.finish()
}

func (p *planner) edit(part int, entry string, data []byte) {
	p.result.Edits[part] = append(p.result.Edits[part], apk.Edit{Name: entry, Data: data})
}

// cause returns the reason why no method has probes.
func (p *planner) cause() string {
	if len(p.result.Skipped) > 0 {
		l := p.result.Skipped[0]
		return fmt.Sprintf("; %s: %s", l.Dex, l.Reason)
	}
	return ": the packages to instrument have no methods; see --include and --exclude"
}

// read reads the tables of all DEX files.
func (p *planner) read(ctx context.Context) error {
	table, err := classes.BuiltIn()
	if err != nil {
		return err
	}
	p.table = table
	if p.platform, err = platform.New(platform.Rules{}, table); err != nil {
		return err
	}
	p.hierarchy.classes, p.owners = make(map[string]*class), make(map[string]bool)
	for i := range p.parts {
		for _, entry := range p.entries[i] {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := p.readDex(i, entry); err != nil {
				return p.inPart(i, err)
			}
		}
	}
	if p.hierarchy.classes[RuntimeClass] != nil {
		return p.inPart(p.result.Base, ErrInstrumented)
	}
	library := func(pkg string) bool { return p.platform.Library(name.OfClass(pkg+".Any", "any", "()V")) != "" }
	p.ownership = p.platform.Ownership(platform.Evidence{Manifest: p.result.Manifest.Own(library)}, p.defined)
	return nil
}

// readDex reads the tables of a DEX file.
func (p *planner) readDex(part int, entry string) error {
	a := p.parts[part].Archive
	data, err := a.Read(a.Entry(entry))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	p.doc.Dex = append(p.doc.Dex, dexFile{p.label(part, entry), hex.EncodeToString(sum[:])})
	files, err := dex.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", entry, err)
	}
	for _, f := range files {
		members, err := f.Members()
		if err != nil {
			return fmt.Errorf("%s: %w", entry, err)
		}
		if err := p.hierarchy.add(f, members); err != nil {
			return fmt.Errorf("%s: %w", entry, err)
		}
		for i := range f.Classes {
			p.defined = append(p.defined, name.OfClass(dex.ClassName(f.Descriptor(f.Classes[i].Type)), "any", "()V"))
		}
		if f == files[0] {
			p.units = append(p.units, &unit{part: part, entry: entry, label: p.label(part, entry), file: f, members: members})
		}
	}
	return nil
}

// finish adds the runtime and the map to the base APK.
func (p *planner) finish() (err error) {
	if p.result.Map, err = p.out.finish(); err != nil {
		return err
	}
	base := p.result.Base
	p.edit(base, p.nextEntry(base), runtime.Dex())
	p.edit(base, runtime.MapEntry, p.result.Map)
	return nil
}
