package outline

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
	"github.com/diffprof/diffprof/internal/shorten"
)

// fill sets each exported field to a nonzero value.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.String:
		v.SetString([]string{"a", "äb", "some.Name$1"}[r.IntN(3)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(1 + r.Uint64()>>(64-v.Type().Bits()+1))
	case reflect.Int32, reflect.Int:
		v.SetInt(int64(r.Int32()))
	default:
		panic(v.Kind())
	}
}

// filled returns a file with all fields set and all indices in range.
func filled(r *rand.Rand) *File {
	f := new(File)
	fill(r, reflect.ValueOf(f).Elem())
	for i := range f.Types {
		f.Types[i].Outer, f.Types[i].Owner = int32(r.IntN(len(f.Types)+1)-1), int32(r.IntN(len(f.Members)+1)-1)
	}
	for i := range f.Members {
		f.Members[i].Type, f.Members[i].Parent = int32(r.IntN(len(f.Types))), int32(r.IntN(len(f.Members)+1)-1)
	}
	f.args = make([]uint32, MaxArgs+3)
	for i := range f.args {
		f.args[i] = uint32(r.IntN(len(f.Names)))
	}
	for i := range f.Sections {
		f.Sections[i].Owner = int32(r.IntN(len(f.Members)))
	}
	for i := range f.Sites {
		s := &f.Sites[i]
		s.kinds, s.types, s.flags = r.Uint32(), uint32(r.IntN(4)), siteFlags(r.IntN(8))
		s.Owner = int32(r.IntN(len(f.Members)+1) - 1)
		s.Name, s.Receiver = uint32(r.IntN(len(f.Names))), uint32(r.IntN(len(f.Names)))
	}
	return f
}

// TestEncoded checks that decoding restores all fields of a file. It must reject data that is
// truncated or followed by other data.
func TestEncoded(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for range shorten.Count(300) {
		f := filled(r)
		coded := f.Encoded()
		back, err := Decoded(coded)
		if err != nil || !reflect.DeepEqual(back, f) {
			t.Fatalf("%v\n%+v\nis not\n%+v", err, back, f)
		}
		for end := range coded {
			if _, err := Decoded(coded[:end]); err == nil {
				t.Fatalf("%d of %d bytes are a file", end, len(coded))
			}
		}
		if _, err := Decoded(append(slices.Clone(coded), 0)); err == nil {
			t.Fatal("a file with a byte more is one")
		}
	}
}

// TestEncodedSources checks that outlines of real sources are the same after encoding and decoding.
func TestEncodedSources(t *testing.T) {
	p := syntaxtree.NewParser()
	defer p.Close()
	paths, err := filepath.Glob("../../testdata/truth/app/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no sources", err)
	}
	for _, path := range paths {
		lang, ok := map[string]syntaxtree.Language{".java": syntaxtree.Java, ".kt": syntaxtree.Kotlin}[filepath.Ext(path)]
		if !ok {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(context.Background(), p, lang, filepath.Base(path), text)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decoded(f.Encoded())
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if again := back.Encoded(); !slices.Equal(again, f.Encoded()) {
			t.Errorf("%s: comes back as another", path)
		}
	}
}

func FuzzDecoded(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 11))
	for range 5 {
		f.Add(filled(r).Encoded())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decoded(data)
		if err != nil {
			return
		}
		if again, err := Decoded(file.Encoded()); err != nil || !reflect.DeepEqual(again, file) {
			t.Errorf("%v: %+v comes back as %+v", err, file, again)
		}
	})
}

// TestFace checks that the face changes if a declaration changes on which other files can depend.
// Changes of code and of positions must not change it.
func TestFace(t *testing.T) {
	p := syntaxtree.NewParser()
	defer p.Close()
	seed := maphash.MakeSeed()
	face := func(text string) uint64 {
		f, err := Parse(context.Background(), p, syntaxtree.Kotlin, "A.kt", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f.DeclarationHash(seed)
	}
	const text = "package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n"
	whole := face(text)
	for _, same := range []string{
		"\n\n" + text,
		"package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { println(x); f { x + 1 } }\n}\n",
	} {
		if face(same) != whole {
			t.Errorf("another face: %s", same)
		}
	}
	for _, other := range []string{
		"package b\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n",
		"package a\nclass A : C() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n",
		"package a\nclass A : B() {\n  fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n",
		"package a\nclass A : B() {\n  inline fun f(crossinline g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n",
		"package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Long) { f { x } }\n}\n",
		"package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun i(x: Int) { f { x } }\n}\n",
		"package a\nimport c.B\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n",
		"package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun Int.h() { f { x } }\n}\n",
		"package a\nvalue class A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) { f { x } }\n}\n",
		"package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return g() }\n  fun h(x: Int) = C()\n}\n",
		"package a\nclass A : B() {\n  inline fun f(g: () -> Int): Int { return object : I { }.g() }\n  fun h(x: Int) { f { x } }\n}\n",
	} {
		if face(other) == whole {
			t.Errorf("the same face: %s", other)
		}
	}
}
