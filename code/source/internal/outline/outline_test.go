package outline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
	"github.com/diffprof/diffprof/internal/shorten"
)

func Example() {
	p := syntaxtree.NewParser()
	defer p.Close()
	const source = `package a.b

class Player {
    fun start(view: TextView?) {
        view?.post { play("x") }
    }
}
`
	file, err := Parse(context.Background(), p, syntaxtree.Kotlin, "Player.kt", []byte(source))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range file.Types {
		fmt.Println("type", t.Name)
	}
	for _, m := range file.Members {
		fmt.Println("member", m.Name, m.Params, m.Path, "in", file.Types[m.Type].Name)
	}
	for _, s := range file.Sites {
		fmt.Println("site", file.Names[s.Name], file.Names[s.Receiver], s.Count, "of member", s.Owner)
	}
	// Output:
	// type PlayerKt
	// type Player
	// member <init> []  in Player
	// member start [TextView]  in Player
	// member  [] Player$start$1 in Player
	// site post TextView 1 of member 1
	// site play  1 of member 2
}

// TestPositionAgreesWithUTF16 compares each position with one computed by encoding the preceding
// text in UTF-16.
func TestPositionAgreesWithUTF16(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	pieces := []string{"a", "é", "漢", "😀", "\n", "\r\n", "\r", "word ", strings.Repeat("x", 300), strings.Repeat("ü", 200)}
	for range shorten.Count(300) {
		var b strings.Builder
		if random.IntN(3) == 0 {
			b.WriteString("\uFEFF")
		}
		for range random.IntN(30) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		l := newLines([]byte(text))
		for offset := range text + " " {
			line, column := l.position(uint32(offset))
			wantLine, wantColumn := slowPosition(text, offset)
			if line != wantLine || column != wantColumn {
				t.Fatalf("%q, byte %d: %d:%d, want %d:%d", text, offset, line, column, wantLine, wantColumn)
			}
		}
	}
}

func slowPosition(text string, offset int) (line, column uint32) {
	before := strings.ReplaceAll(text[:offset], "\r\n", "\n")
	if strings.HasSuffix(before, "\r") && strings.HasPrefix(text[offset:], "\n") {
		// This offset is between the two characters of a line end.
		before = before[:len(before)-1] + "x"
	}
	before = strings.ReplaceAll(before, "\r", "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	last := strings.TrimPrefix(before[start:], "\uFEFF")
	return uint32(strings.Count(before, "\n")), uint32(len(utf16.Encode([]rune(last))))
}

func TestFacadeName(t *testing.T) {
	for file, want := range map[string]string{
		"Main.kt": "MainKt", "main.kt": "MainKt", "my-file.kt": "My_fileKt", "1st.kt": "_1stKt", "a.b.kt": "A_bKt", "Script.kts": "ScriptKt",
	} {
		if got := facadeName(file); got != want {
			t.Errorf("%s is in %s, want %s", file, got, want)
		}
	}
}

func TestNamesAreBounded(t *testing.T) {
	p := syntaxtree.NewParser()
	defer p.Close()
	long := strings.Repeat("N", 1000)
	for lang, piece := range map[syntaxtree.Language]string{syntaxtree.Java: "class %s {\n", syntaxtree.Kotlin: "class %s {\nfun f() {\nval x = object : A {\n"} {
		file, err := Parse(context.Background(), p, lang, "A.x", []byte(strings.Repeat(fmt.Sprintf(piece, long), 60)))
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range file.Types {
			if len(typ.Name) > maxName {
				t.Errorf("a name of %d bytes", len(typ.Name))
			}
		}
	}
}
