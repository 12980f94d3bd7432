package art

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

const (
	// maxMethods limits the memory for the table of a malicious file. The packed form lists every
	// method of every loaded class, several hundred thousand in a large app.
	maxMethods = 1 << 21
	// maxUnlisted limits the methods that are missing from the table. Real traces lack a few dozen
	// methods. In damaged files, almost every record has a method that is missing.
	maxUnlisted = 1 << 16
	// maxDense limits the ids in the direct table, which needs a byte for each possible id. ART
	// counts its ids up from 0 in steps of 4.
	maxDense = 1 << 24
)

// methods maps the ids of a file to methods. The zero value is empty.
//
// ART's ids are small, so they index a direct table: a lookup costs one load per event. Dalvik's
// ids are pointers, so they are in a hash table.
type methods struct {
	list   []name.Method
	labels map[label]trace.MethodID

	dense []trace.MethodID // dense is indexed by id/4. An entry of -1 means that the id is unknown.
	hash  []slot           // The length of hash is a power of two, and collisions use open addressing.
	shift uint
	used  int

	// unknown counts the methods made up for ids that are missing from the table. firstUnknown is
	// the first such method, and invented has all of them.
	unknown      int
	firstUnknown trace.MethodID
	unknownAdded map[trace.MethodID]bool
}

type label struct{ class, name, descriptor string }

// A slot maps a key to the method with index id-1. A slot with id 0 is empty.
type slot struct {
	key uint64
	id  trace.MethodID
}

// add adds a method with an id and returns its index. It replaces an earlier method with the same
// id.
func (t *methods) add(id uint64, m name.Method) trace.MethodID {
	if t.labels == nil {
		t.labels = make(map[label]trace.MethodID)
	}
	key := label{m.Class(), m.Name, m.Signature}
	n, ok := t.labels[key]
	if !ok {
		n = trace.MethodID(len(t.list))
		t.labels[key] = n
		t.list = append(t.list, m)
	}
	t.bind(id, n)
	return n
}

// bind maps id to the method with index n.
func (t *methods) bind(id uint64, n trace.MethodID) {
	if id < maxDense {
		i := int(id >> 2)
		for len(t.dense) <= i {
			t.dense = append(t.dense, -1)
		}
		t.dense[i] = n
		return
	}
	if t.used >= len(t.hash)/2 {
		t.grow()
	}
	s := t.find(id)
	if s.id == 0 {
		t.used++
	}
	*s = slot{id, n + 1}
}

// find returns the slot of id, or the empty slot where id belongs.
func (t *methods) find(id uint64) *slot {
	// Pointers differ in their middle bits. The multiplication (Fibonacci hashing) moves these bits
	// to the top.
	for i := (id * 0x9e3779b97f4a7c15) >> t.shift; ; i++ {
		s := &t.hash[i&uint64(len(t.hash)-1)]
		if s.id == 0 || s.key == id {
			return s
		}
	}
}

func (t *methods) grow() {
	old := t.hash
	t.hash = make([]slot, max(64, 2*len(old)))
	t.shift = uint(65 - bits.Len(uint(len(t.hash))))
	for _, s := range old {
		if s.id != 0 {
			*t.find(s.key) = s
		}
	}
}

// lookup returns the method of id. It returns -1 if the table does not list the id.
func (t *methods) lookup(id uint64) trace.MethodID {
	if i := id >> 2; i < uint64(len(t.dense)) {
		return t.dense[i]
	}
	if len(t.hash) == 0 {
		return -1
	}
	return t.find(id).id - 1
}

// name implements trace.Names.
func (t *methods) name(n trace.MethodID) (name.Method, bool) {
	if n < 0 || int(n) >= len(t.list) {
		return name.Method{}, false
	}
	return t.list[n], true
}

// addUnknown adds a method such as "(unknown 0x1c)" for an id that is missing from the table.
func (t *methods) addUnknown(id uint64) {
	n := t.add(id, name.Method{Name: "(unknown 0x" + strconv.FormatUint(id, 16) + ")"})
	if t.unknown == 0 {
		t.firstUnknown = n
		t.unknownAdded = make(map[trace.MethodID]bool)
	}
	t.unknown++
	t.unknownAdded[n] = true
}

// addUnknownIn counts the events in batch whose method is invented.
func (t *methods) addUnknownIn(batch []trace.Event) int64 {
	var n int64
	if t.unknown == 0 {
		return 0
	}
	for i := range batch {
		if m := trace.MethodID(batch[i].Ref); m >= t.firstUnknown && t.unknownAdded[m] {
			n++
		}
	}
	return n
}

// parseMethod parses the columns of a method table row that follow the id:
//
//	class method descriptor [file [line]]
//	class method [file]
//	name file line
//	name
//
// Dalvik writes the last two forms for code outside of classes.
func parseMethod(row string) name.Method {
	c := strings.Split(row, "\t")
	at := func(i int) string {
		if i < len(c) {
			return c[i]
		}
		return ""
	}
	if len(c) == 1 {
		return name.Method{Name: c[0]}
	}
	if line, err := strconv.Atoi(at(2)); err == nil && len(c) == 3 {
		return name.Method{Name: c[0], File: fileName(c[1]), Line: max(line, 0)}
	}
	m := name.OfClass(strings.ReplaceAll(c[0], "/", "."), c[1], "")
	rest := 2
	if strings.HasPrefix(at(2), "(") {
		m.Signature = c[2]
		rest = 3
	} else if len(c) >= 5 {
		rest = 3
	}
	m.File = fileName(at(rest))
	// Dalvik writes negative lines for native methods and for unknown lines.
	if line, err := strconv.Atoi(at(rest + 1)); err == nil {
		m.Line = max(line, 0)
	}
	return m
}

func fileName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// parseID parses an id as C's %#x formats it, which writes 0 without the prefix 0x. It also accepts
// decimal ids, which occur in hand-made files.
func parseID(s string) (uint64, bool) {
	s = strings.TrimSpace(s)
	base := 10
	if len(s) > 2 && (s[1] == 'x' || s[1] == 'X') && s[0] == '0' {
		s, base = s[2:], 16
	}
	id, err := strconv.ParseUint(s, base, 64)
	return id, err == nil
}
