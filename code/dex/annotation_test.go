package dex

import (
	"encoding/binary"
	"strings"
	"testing"
)

// annotated returns the sample with a class whose annotations are the items. Each item is a
// visibility byte and an annotation. Type 0 is called SourceDebugExtension.
func annotated(t *testing.T, items ...[]byte) (*File, *Class) {
	t.Helper()
	files, err := Parse(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	f := files[0]
	f.Strings[f.Types[0]] = "Ldalvik/annotation/SourceDebugExtension;"
	data := append([]byte(nil), f.data...)
	word := func(n int) { data = binary.LittleEndian.AppendUint32(data, uint32(n)) }
	var at []int
	for _, item := range items {
		at = append(at, len(data))
		data = append(data, item...)
	}
	set := len(data)
	word(len(items))
	for _, n := range at {
		word(n)
	}
	class := &Class{Annotations: uint32(len(data))}
	word(set)
	data = append(data, make([]byte, 12)...)
	f.data = data
	return f, class
}

// TestLineMap reads the source debug extension of a class among annotations with values of every
// kind.
func TestLineMap(t *testing.T) {
	// A text is the string 1. The elements have the name 0.
	text := []byte{1, 0, 1, 0, valueString, 1}
	every := []byte{1, 1, 9,
		0, 0x00, 7, // a byte
		0, 0x22, 1, 2, // a short of two bytes
		0, 0xe6, 1, 2, 3, 4, 5, 6, 7, 8, // a long
		0, valueNull, 0, valueBoolean | 1<<5,
		0, valueArray, 3, 0x00, 1, valueString, 0, valueNull,
		0, valueAnnotation, 2, 1, 0, valueArray, 1, valueBoolean,
		0, valueString | 1<<5, 1, 0,
		0, 0x18, 2,
		0, 0x04, 1,
	}
	nested := func(n int) []byte {
		out := []byte{1, 0, 1, 0}
		for range n {
			out = append(out, valueArray, 1)
		}
		return append(out, valueNull)
	}
	for name, c := range map[string]struct {
		items [][]byte
		text  bool
		err   string
	}{
		"the extension":          {[][]byte{text}, true, ""},
		"after another":          {[][]byte{every, text}, true, ""},
		"before another":         {[][]byte{text, every}, true, ""},
		"another":                {[][]byte{every}, false, ""},
		"no annotation":          {nil, false, ""},
		"no string":              {[][]byte{{1, 0, 1, 0, valueNull}}, false, ""},
		"no elements":            {[][]byte{{1, 0, 0}}, false, ""},
		"two texts":              {[][]byte{{1, 0, 2, 0, valueString, 0, 0, valueString, 1}}, true, ""},
		"nested deeply":          {[][]byte{nested(64)}, false, ""},
		"nested too deeply":      {[][]byte{nested(65)}, false, "values nest more than 64 levels deep"},
		"an unknown type":        {[][]byte{{1, 0x7f, 0}}, false, "type index 127 is out of range"},
		"an unknown string":      {[][]byte{{1, 0, 1, 0, valueString | 1<<5, 0xff, 0xff}}, false, "string index 65535 is out of range"},
		"a string of four bytes": {[][]byte{{1, 0, 1, 0, valueString | 3<<5, 1, 0, 0, 0}}, true, ""},
	} {
		f, class := annotated(t, c.items...)
		want := ""
		if c.text {
			var err error
			if want, err = Text(f.Strings[1]); err != nil || want == "" {
				t.Fatalf("string 1 is %q, %v", want, err)
			}
		}
		got, err := f.LineMap(class)
		if got != want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v, want %q and %q", name, got, err, want, c.err)
		}
	}
	f, class := annotated(t, text)
	if got, err := f.LineMap(&Class{}); got != "" || err != nil {
		t.Errorf("a class without annotations: %q, %v", got, err)
	}
	binary.LittleEndian.PutUint32(f.data[class.Annotations:], 0)
	if got, err := f.LineMap(class); got != "" || err != nil {
		t.Errorf("annotations of members only: %q, %v", got, err)
	}
	for name, change := range map[string]func(f *File, class *Class){
		"the directory is cut": func(f *File, class *Class) { f.data = f.data[:class.Annotations+15] },
		"no such directory":    func(f *File, class *Class) { class.Annotations = uint32(len(f.data) + 1) },
		"no such set": func(f *File, class *Class) {
			binary.LittleEndian.PutUint32(f.data[class.Annotations:], uint32(len(f.data)-3))
		},
		"too many annotations":   func(f *File, class *Class) { f.data[class.Annotations-7]++; f.data[class.Annotations-6]++ },
		"more than the file has": func(f *File, class *Class) { f.data[class.Annotations-8] = 200 },
		"no such item": func(f *File, class *Class) {
			binary.LittleEndian.PutUint32(f.data[class.Annotations-4:], uint32(len(f.data)))
		},
	} {
		f, class := annotated(t, text)
		change(f, class)
		if got, err := f.LineMap(class); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestHiddenFlags reads the hidden-API flags of Android's own classes.
func TestHiddenFlags(t *testing.T) {
	read := func(flags []byte, class, offset int) ([]Members, error) {
		files, err := Parse(sample(t))
		if err != nil {
			t.Fatal(err)
		}
		f := files[0]
		all, err := f.Members()
		if err != nil {
			t.Fatal(err)
		}
		f.hidden = len(f.data)
		table := make([]byte, 4+4*len(f.Classes))
		if offset < 0 {
			offset = len(table)
		}
		binary.LittleEndian.PutUint32(table[4+4*class:], uint32(offset))
		f.data = append(append(append([]byte(nil), f.data...), table...), flags...)
		err = f.readHidden(all)
		return all, err
	}
	plain, err := read(nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	class := -1
	for i, m := range plain {
		if len(m.Static)+len(m.Instance) > 0 && len(m.Direct) > 0 && len(m.Virtual) > 0 {
			class = i
		}
	}
	if class < 0 {
		t.Fatal("no class of the sample has fields and methods of both kinds")
	}
	count := len(plain[class].Static) + len(plain[class].Instance) + len(plain[class].Direct) + len(plain[class].Virtual)
	var flags []byte
	for i := range count {
		flags = append(flags, byte(i+1))
	}
	all, err := read(flags, class, -1)
	if err != nil {
		t.Fatal(err)
	}
	next := uint32(1)
	for i, m := range all {
		var got []uint32
		for _, f := range append(append([]Field(nil), m.Static...), m.Instance...) {
			got = append(got, f.Hidden)
		}
		for _, f := range append(append([]Method(nil), m.Direct...), m.Virtual...) {
			got = append(got, f.Hidden)
		}
		for _, flag := range got {
			if i != class && flag != 0 || i == class && flag != next {
				t.Fatalf("class %d has the flags %v", i, got)
			}
			if i == class {
				next++
			}
		}
	}
	if int(next) != count+1 {
		t.Errorf("%d of %d flags are read", next-1, count)
	}
	if _, err := read(flags[:count-1], class, -1); err == nil {
		t.Error("flags that are cut are read")
	}
	files, err := Parse(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	files[0].hidden = len(files[0].data) - 3
	if _, err := files[0].Members(); err == nil {
		t.Error("a table of flags that is cut is read")
	}
}

// TestShrunk checks that only the marker of R8 shows that R8 wrote the file.
func TestShrunk(t *testing.T) {
	for marker, want := range map[string]bool{
		`~~R8{"backend":"dex","version":"8"}`: true, `~~R8{"backend":"cf"}`: false, `~~D8{"backend":"dex"}`: false, `~~R8{`: false, `x~~R8{"backend":"dex"}`: false, "": false,
	} {
		if got := (&File{Strings: []string{"a", marker}}).Shrunk(); got != want {
			t.Errorf("%s: R8 wrote the file: %v", marker, got)
		}
	}
}
