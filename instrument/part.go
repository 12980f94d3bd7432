package instrument

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/diffprof/diffprof/apk"
	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/instrument/runtime"
	"github.com/diffprof/diffprof/internal/syntax"
)

// inPart adds the name of a part to an error.
func (p *planner) inPart(part int, err error) error {
	named := p.parts[part].Name
	if named == "" || err == nil {
		return err
	}
	if bad, ok := errors.AsType[*syntax.Error](err); ok && bad.File == "" {
		bad.File = named
		return err
	}
	return fmt.Errorf("%s: %w", named, err)
}

// label returns the name of an entry for messages and for the map.
func (p *planner) label(part int, entry string) string {
	if len(p.parts) == 1 {
		return entry
	}
	return filepath.Base(p.parts[part].Name) + "/" + entry
}

// manifests reads the manifests, finds the base APK, and lists the dex files.
func (p *planner) manifests() error {
	base := -1
	names := make(map[string]int)
	for i, part := range p.parts {
		m, err := part.Archive.Manifest()
		if err != nil {
			return p.inPart(i, err)
		}
		if twice, ok := names[m.Split]; ok {
			which := "base APKs"
			if m.Split != "" {
				which = fmt.Sprintf("splits %q", m.Split)
			}
			return fmt.Errorf("%s and %s are both %s: give each file of the app only once", p.parts[twice].Name, part.Name, which)
		}
		names[m.Split] = i
		if m.Split == "" {
			base, p.result.Manifest = i, m
		}
		if i == 0 {
			continue
		}
		first, err := p.parts[0].Archive.Manifest()
		if err != nil {
			return p.inPart(0, err)
		}
		if got, want := packageOf(m.Packages), packageOf(first.Packages); got != want {
			return p.inPart(i, fmt.Errorf("it belongs to the app %s, but %s to %s: give only files of the same app", got, p.parts[0].Name, want))
		}
	}
	if base < 0 {
		return p.inPart(0, errors.New("it is a split of an app: name the base APK with all its splits"))
	}
	p.result.Base = base
	for i, part := range p.parts {
		if part.Archive.Entry(runtime.MapEntry) != nil {
			return p.inPart(i, ErrInstrumented)
		}
		entries := part.Archive.Dex()
		if i == base && len(entries) == 0 {
			return p.inPart(i, errors.New("the APK has no code (classes.dex); name the base APK of the app"))
		}
		p.entries = append(p.entries, entries)
		if next := apk.DexName(len(entries) + 1); part.Archive.Entry(next) != nil {
			return p.inPart(i, fmt.Errorf("%s is in the APK without %s, so Android does not load it. Android would load it from the copy: build the app without it", next, apk.DexName(len(entries))))
		}
	}
	return nil
}

// packageOf returns the package of an app.
func packageOf(packages []string) string {
	if len(packages) == 0 {
		return ""
	}
	return packages[0]
}

// nextEntry returns the name of a new dex file of a part.
func (p *planner) nextEntry(part int) string {
	entry := apk.DexName(len(p.entries[part]))
	p.entries[part] = append(p.entries[part], entry)
	return entry
}

// reservedIDs is how many types, signatures and methods the probes may add to the tables of a DEX
// file.
const reservedIDs = 8

// reservedPathIDs replaces room if paths are counted.
const reservedPathIDs = 16

// makeRoom splits DEX files whose tables have no room for what the probes add. It moves classes
// from the end of a file to a new file. A class that several files define is not moved, because
// Android loads its first definition.
func (p *planner) makeRoom() error {
	defined := make(map[string]int)
	for _, u := range p.units {
		for i := range u.file.Classes {
			defined[u.file.Descriptor(u.file.Classes[i].Type)]++
		}
	}
	var all []*unit
	room := reservedIDs
	if p.Paths {
		room = reservedPathIDs
	}
	for _, u := range p.units {
		all = append(all, u)
		if max(len(u.file.Types), len(u.file.Protos), len(u.file.Methods))+room <= dex.MaxIndexes {
			continue
		}
		if _, err := p.target(u.file); !errors.Is(err, dex.ErrFull) {
			continue
		}
		first, second, err := dex.Split(u.file, room, func(class int) bool {
			return defined[u.file.Descriptor(u.file.Classes[class].Type)] == 1
		})
		if errors.Is(err, dex.ErrFull) {
			continue // No class may be moved, so the file stays unchanged.
		}
		if err != nil {
			return p.inPart(u.part, fmt.Errorf("%s: %w", u.entry, err))
		}
		entry := p.nextEntry(u.part)
		more := &unit{part: u.part, entry: entry, label: p.label(u.part, entry)}
		if err := errors.Join(u.load(first), more.load(second)); err != nil {
			return p.inPart(u.part, fmt.Errorf("%s: %w", u.entry, err))
		}
		p.result.Moved += len(more.file.Classes)
		all = append(all, more)
	}
	p.units = all
	return nil
}

// load sets the content of a unit.
func (u *unit) load(data []byte) error {
	files, err := dex.Parse(data)
	if err != nil {
		return err
	}
	u.data, u.file = data, files[0]
	u.members, err = u.file.Members()
	return err
}
