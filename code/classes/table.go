package classes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"sort"
)

// This is the format of the table file. Numbers are little-endian u32 or varints (encoding/binary).
// A text is a varint length and its bytes.
//
//	u32     CRC-32 (IEEE) of all that follows
//	8 bytes magic
//	varint  number of versions, then each as text
//	dict    packages
//	dict    classes, linked to their supertypes
//
// A dict is a sorted list of names with front coding: an entry has only the part that differs from
// the preceding name. Every 16th entry has its whole name, and its position is stored. A search
// bisects these entries, and then reads at most 16 entries.
//
//	varint  number of entries
//	varint  bytes of the entries
//	u32 …   position of each 16th entry
//	entry … varint bytes shared with the preceding name, text of the rest,
//	        varint number of links, each link a signed varint: the index of
//	        the linked entry minus the index of this entry (relatives are
//	        neighbors, so the numbers are small)
const (
	tableMagic = "dpclass1"
	dictBlock  = 16
)

// Encode returns the bytes of a table file, for the program that makes the built-in table. The
// result does not depend on the order of the arguments' elements. A class that occurs several times
// has the supertypes of all occurrences. A class that extends only java.lang.Object and has no
// subclass is omitted, because no result depends on it.
func Encode(versions, packages []string, classes []Class) []byte {
	parents := make(map[string]map[string]bool)
	for _, class := range classes {
		for parent := range class.supertypes() {
			if parents[class.Name] == nil {
				parents[class.Name] = make(map[string]bool)
			}
			parents[class.Name][parent] = true
			if parents[parent] == nil {
				parents[parent] = make(map[string]bool)
			}
		}
	}
	names := slices.Sorted(maps.Keys(parents))
	index := make(map[string]int, len(names))
	for i, name := range names {
		index[name] = i
	}

	body := []byte(tableMagic)
	body = binary.AppendUvarint(body, uint64(len(versions)))
	for _, version := range versions {
		body = appendText(body, version)
	}
	packages = slices.Compact(slices.Sorted(slices.Values(packages)))
	body = appendDict(body, packages, func(int) []int { return nil })
	body = appendDict(body, names, func(i int) []int {
		links := make([]int, 0, len(parents[names[i]]))
		for parent := range parents[names[i]] {
			links = append(links, index[parent]-i)
		}
		slices.Sort(links)
		return links
	})
	return append(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)), body...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendDict(b []byte, names []string, links func(int) []int) []byte {
	var entries, places []byte
	last := ""
	for i, name := range names {
		shared := 0
		if i%dictBlock == 0 {
			places = binary.LittleEndian.AppendUint32(places, uint32(len(entries)))
		} else {
			for shared < len(last) && shared < len(name) && last[shared] == name[shared] {
				shared++
			}
		}
		entries = binary.AppendUvarint(entries, uint64(shared))
		entries = appendText(entries, name[shared:])
		to := links(i)
		entries = binary.AppendUvarint(entries, uint64(len(to)))
		for _, link := range to {
			entries = binary.AppendVarint(entries, int64(link))
		}
		last = name
	}
	b = binary.AppendUvarint(b, uint64(len(names)))
	b = binary.AppendUvarint(b, uint64(len(entries)))
	return append(append(b, places...), entries...)
}

var errTable = errors.New("the built-in class table is damaged")

// decode opens a table file. The table retains file and reads it for each query. The checksum
// ensures that the file is well formed.
func decode(file []byte) (*Table, error) {
	if len(file) < 4+len(tableMagic) || string(file[4:4+len(tableMagic)]) != tableMagic {
		return nil, fmt.Errorf("%w: not a table file", errTable)
	}
	if binary.LittleEndian.Uint32(file) != crc32.ChecksumIEEE(file[4:]) {
		return nil, fmt.Errorf("%w: wrong checksum", errTable)
	}
	c := cursor{data: file[4+len(tableMagic):]}
	t := new(Table)
	for range c.uvarint() {
		if c.bad {
			break
		}
		t.versions = append(t.versions, string(c.text()))
	}
	t.packages = c.dict()
	t.names = c.dict()
	if c.bad || len(c.data) != 0 {
		return nil, fmt.Errorf("%w: wrong length", errTable)
	}
	return t, nil
}

// A cursor reads a table file. After the end of the file, it returns zeros and sets bad.
type cursor struct {
	data []byte
	bad  bool
}

func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(len(c.data)) {
		c.bad = true
		return nil
	}
	taken := c.data[:n]
	c.data = c.data[n:]
	return taken
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.take(uint64(n))
	return v
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.data)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.take(uint64(n))
	return v
}

func (c *cursor) text() []byte { return c.take(c.uvarint()) }

func (c *cursor) dict() frontCoded {
	count, size := c.uvarint(), c.uvarint()
	if count > uint64(len(c.data)) {
		c.bad = true
		return frontCoded{}
	}
	places := c.take((count + dictBlock - 1) / dictBlock * 4)
	return frontCoded{count: int(count), places: places, entries: c.take(size)}
}

// A frontCoded is a sorted list of names in the file. It can be searched without decoding all of
// it.
type frontCoded struct {
	count           int
	places, entries []byte
}

// A dictEntry is an entry that was found: its index and its links, not yet decoded.
type dictEntry struct {
	index int
	rest  cursor
}

// block returns a cursor at the start of block i.
func (d *frontCoded) block(i int) cursor {
	place := binary.LittleEndian.Uint32(d.places[4*i:])
	if uint64(place) > uint64(len(d.entries)) {
		return cursor{bad: true}
	}
	return cursor{data: d.entries[place:]}
}

// find returns the entry of a name.
func (d *frontCoded) find(name string) (dictEntry, bool) {
	after := sort.Search(len(d.places)/4, func(i int) bool {
		c := d.block(i)
		c.uvarint() // The first name of a block shares nothing with the preceding name.
		return string(c.text()) > name
	})
	if after == 0 {
		return dictEntry{}, false
	}
	var space [128]byte
	current := space[:0]
	c := d.block(after - 1)
	for i := (after - 1) * dictBlock; i < min(after*dictBlock, d.count) && !c.bad; i++ {
		current = append(current[:min(c.uvarint(), uint64(len(current)))], c.text()...)
		switch {
		case string(current) == name:
			return dictEntry{index: i, rest: c}, true
		case string(current) > name:
			return dictEntry{}, false
		}
		for n := c.uvarint(); n > 0 && !c.bad; n-- {
			c.varint()
		}
	}
	return dictEntry{}, false
}

// at returns the name of the entry with the given index.
func (d *frontCoded) at(index int) (string, bool) {
	if index < 0 || index >= d.count {
		return "", false
	}
	var space [128]byte
	current := space[:0]
	c := d.block(index / dictBlock)
	for i := index - index%dictBlock; !c.bad; i++ {
		current = append(current[:min(c.uvarint(), uint64(len(current)))], c.text()...)
		if i == index {
			return string(current), !c.bad
		}
		for n := c.uvarint(); n > 0 && !c.bad; n-- {
			c.varint()
		}
	}
	return "", false
}

// links yields the indices of the linked entries.
func (e dictEntry) links() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		c := e.rest
		for n := c.uvarint(); n > 0 && !c.bad; n-- {
			to := e.index + int(c.varint())
			if c.bad || !yield(to) {
				return
			}
		}
	}
}
