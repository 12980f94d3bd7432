package samples

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// Names gives each text a small number, its ID. The empty text has the ID 0. Names is safe for
// concurrent use.
//
// To save memory, rare names can be left out (Options.Common). The ID of a rare name is a hash, and
// its text is not stored.
type Names struct {
	mu     sync.RWMutex
	ids    map[string]uint32
	texts  []string
	common *Common // common is nil if no name is rare.
}

// rareBit marks the IDs of rare names. The other bits are a hash of the text.
const rareBit = 1 << 31

// IsRare reports whether an ID belongs to a rare name.
func IsRare(id uint32) bool { return id&rareBit != 0 }

// hashOf returns a hash of a text with 31 bits.
func hashOf(text string) uint32 {
	h := uint64(0xcbf29ce484222325) // FNV-1a
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return uint32(mixed(h) >> 33)
}

// mixed mixes the bits of h, so that each bit of the result depends on all bits of h (the finalizer
// of MurmurHash3).
func mixed(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// NewNames returns names with only the empty text.
func NewNames() *Names { return &Names{ids: map[string]uint32{"": 0}, texts: []string{""}} }

// ID returns the ID of a text.
func (n *Names) ID(text string) uint32 {
	if text == "" {
		return 0
	}
	n.mu.RLock()
	id, ok := n.ids[text]
	n.mu.RUnlock()
	if ok {
		return id
	}
	if n.common != nil {
		if h := hashOf(text); !n.common.has(h) {
			return rareBit | h
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.ids[text]; ok {
		return id
	}
	id = uint32(len(n.texts))
	text = strings.Clone(text)
	n.ids[text] = id
	n.texts = append(n.texts, text)
	return id
}

// Text returns the text of an ID, or a placeholder for a rare name.
func (n *Names) Text(id uint32) string {
	if IsRare(id) {
		return fmt.Sprintf("#%08x", id&^rareBit)
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.texts[id]
}

// Number parses the text of an ID as a number. It returns NaN if it is not a number.
func (n *Names) Number(id uint32) float64 { return parseNumber(n.Text(id)) }

// hash returns the hash of the text of an ID.
func (n *Names) hash(id uint32) uint32 {
	if IsRare(id) {
		return id &^ rareBit
	}
	return hashOf(n.Text(id))
}

// Len returns the number of names whose texts are stored.
func (n *Names) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.texts)
}

// HashClient returns the hash of a client's name, keyed with key.
func HashClient(key []byte, name string) ID {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(name))
	return ID(binary.BigEndian.Uint64(h.Sum(nil)))
}

// daemons are system processes that no user started. The wildcard * matches any text. Users can add
// more with Map.Daemons. Carat maintains such a list by hand (§3.2).
var daemons = []string{
	"android", "android.*", "com.android.bluetooth*", "com.android.defcontainer", "com.android.inputmethod.*",
	"com.android.keychain", "com.android.nfc*", "com.android.phone*", "com.android.providers.*", "com.android.server.*",
	"com.android.settings*", "com.android.shell", "com.android.smspush", "com.android.systemui*", "com.google.android.gms*",
	"com.google.android.gsf*", "com.google.process.*", "com.qualcomm.*", "com.qti.*", "system", "system_server", "zygote*",
	"/system/*", "/sbin/*", "*daemon", "kworker*", "SpringBoard", "backboardd", "launchd", "mediaserverd", "locationd",
}

// notRunning has the importance values of processes that do not run (Carat's priorities).
var notRunning = []string{"not running", "uninstalled", "disabled", "installed", "replaced", "gone"}

// A filter decides which apps are kept.
type filter struct {
	names   *Names
	daemons []daemon
	mu      sync.RWMutex
	known   []uint8 // known caches the results, by ID. 0 means not yet known.
}

const (
	appKept = 1 + iota
	appLeft
)

// A daemon is a pattern for names of daemons.
type daemon struct {
	literal string // literal is the part before the first wildcard.
	pattern string // pattern is for path.Match, after noSeparator.
}

func newFilter(names *Names, more []string) *filter {
	f := &filter{names: names}
	for _, pattern := range slices.Concat(daemons, more) {
		pattern = noSeparator.Replace(pattern)
		literal := pattern
		if at := strings.IndexAny(pattern, `*?[\`); at >= 0 {
			literal = pattern[:at]
		}
		f.daemons = append(f.daemons, daemon{literal, pattern})
	}
	return f
}

// noSeparator replaces slashes, because no wildcard of path.Match matches a slash.
var noSeparator = strings.NewReplacer("/", "\x01")

// keeps reports whether an app is kept. It caches the result.
func (f *filter) keeps(app uint32) bool {
	f.mu.RLock()
	known := uint8(0)
	if int(app) < len(f.known) {
		known = f.known[app]
	}
	f.mu.RUnlock()
	if known == 0 {
		known = appKept
		text := f.names.Text(app)
		name := noSeparator.Replace(text)
		for _, d := range f.daemons {
			if !strings.HasPrefix(name, d.literal) {
				continue
			}
			if ok, err := path.Match(d.pattern, name); ok && err == nil {
				known = appLeft
				break
			}
		}
		if text == "" {
			known = appLeft
		}
		f.mu.Lock()
		for int(app) >= len(f.known) {
			f.known = append(f.known, 0)
		}
		f.known[app] = known
		f.mu.Unlock()
	}
	return known == appKept
}

// apps removes daemons and duplicates from the app list of a sample. Only one goroutine may use it.
type apps struct {
	filter *filter
	// seen is indexed by the ID of an app. It has the last round (sample) that listed the app, or
	// one of the values below.
	seen  []uint32
	round uint32
	rare  map[uint32]bool // rare has the rare apps of the current sample.
}

// Special values of apps.seen. unasked means that the filter was not asked about the app yet. left
// and kept are its answers. Rounds begin with firstRound.
const (
	unasked = iota
	left
	kept
	firstRound
)

// take sets the apps and versions of a row to the listed apps that are kept. It reports whether an
// app is listed twice.
func (a *apps) take(r *row, names, versions []uint32) (twice bool) {
	if a.round++; a.round < firstRound {
		a.round = firstRound
		clear(a.seen)
	}
	r.apps, r.versions = r.apps[:0], r.versions[:0]
	clear(a.rare)
	for i, app := range names {
		if IsRare(app) {
			version := uint32(0)
			if i < len(versions) {
				version = versions[i]
			}
			twice = a.takeRare(r, app, version) || twice
			continue
		}
		if int(app) >= len(a.seen) {
			a.seen = append(a.seen, make([]uint32, int(app)+1-len(a.seen))...)
		}
		seen := a.seen[app]
		if seen == unasked {
			if seen = left; a.filter.keeps(app) {
				seen = kept
			}
			a.seen[app] = seen
		}
		switch seen {
		case left:
			continue
		case a.round:
			twice = true
			continue
		}
		a.seen[app] = a.round
		version := uint32(0)
		if i < len(versions) {
			version = versions[i]
		}
		r.apps = append(r.apps, app)
		r.versions = append(r.versions, version)
	}
	return twice
}

// takeRare handles a rare app. It adds the app to the row only while Common is being computed. It
// reports whether the sample has already listed the app.
func (a *apps) takeRare(r *row, app, version uint32) (twice bool) {
	if a.rare[app] {
		return true
	}
	if a.rare == nil {
		a.rare = map[uint32]bool{}
	}
	a.rare[app] = true
	if a.filter.names.common.counting() {
		r.apps, r.versions = append(r.apps, app), append(r.versions, version)
	}
	return false
}
