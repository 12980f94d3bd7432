package syntaxtree

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// dump returns a tree on one line, such as kind(child child). Leaves have their text.
func dump(n Node) string {
	var b strings.Builder
	var write func(n Node)
	write = func(n Node) {
		if n.Field() != "" {
			b.WriteString(n.Field() + ":")
		}
		b.WriteString(n.Kind())
		if !n.First().Exists() {
			if n.Named() {
				fmt.Fprintf(&b, "=%s", n.Text())
			}
			return
		}
		b.WriteByte('(')
		for c := n.First(); c.Exists(); c = c.Next() {
			if c.Start() != n.First().Start() {
				b.WriteByte(' ')
			}
			write(c)
		}
		b.WriteByte(')')
	}
	write(n)
	return b.String()
}

func Example() {
	p := NewParser()
	defer p.Close()
	tree, err := p.Parse(context.Background(), Java, []byte("class A { void f() { g(1); } }"))
	if err != nil {
		fmt.Println(err)
		return
	}
	method := tree.Root().First().ByField("body").Child("method_declaration")
	fmt.Println(method.ByField("name").Text(), method.Start(), method.End())
	fmt.Println(dump(method.ByField("body")))
	// Output:
	// f 10 28
	// body:block(expression_statement(method_invocation(name:identifier=g arguments:argument_list(decimal_integer_literal=1))))
}

// TestCleanHelpsTheGrammar parses sources that the grammar rejects without cleaning.
func TestCleanHelpsTheGrammar(t *testing.T) {
	p := NewParser()
	defer p.Close()
	for _, source := range []string{
		"fun interface Cb { fun go() }",
		"class A : D by c {\n fun x() {}\n}",
		"class A(c: D) : D by c, E by F(1) {\n fun x() { }\n}",
		"val l = object : Foo by bar {\n override fun x() { }\n}",
		"class A { companion object : B() { fun x() { } } }",
		"fun f() {\n when (x) {\n is A -> b()\n in 1..3 -> c()\n !in 4..5 -> d()\n }\n}",
		"fun f() {\n for (i in 0..<10) h(i)\n}",
		"fun f() {\n val v = find<View>(1)\n (v as Text).go()\n}",
		"fun f() {\n Thread.currentThread().name = x\n find<T>(R.id.x).y?.text = \"a\"\n a()!!.b.c += 1\n}",
		"class A\n  @JvmOverloads\n  constructor(\n val a: Int,\n ) : B {\n fun f() { }\n}",
		"@Preview\n@Composable\nprivate fun A() {\n}\n\n@Preview(x = \"(\")\n@Composable\nprivate fun B() {\n}",
		"fun f(g: A.B.() -> Unit, n: Int = 0b1100_0000) {\n val x = y()\n as Z\n h()\n in1.go()\n}",
		"fun f(): Any {\n x = y()\n as? Z\n return go()\n as Z\n}",
		"class A\r\nclass B : C by d\r\nfun f() {\r\n g() // by x {\r\n}\r\n",
		"class `by x` { fun f() { g(A::class, \"class X : Y by z { ${ h(\"}\") } \") } }",
		"fun f() {\n val c = '\"'\n val s = \"\"\" \" ${ \"x\" } \"\"\"\"\n}",
		"val s = \"\"\"\"\"\"\nfun interface Cb { fun go() }\nval t = \"\"\"\"\"\"\nclass A : D by c {\n fun x() {}\n}",
		"val s = \"\"\"${ \"x\" }\"\"\"\nfun interface Cb { fun go() }\nclass A : D by c {\n fun x() {}\n}",
	} {
		tree, err := p.Parse(context.Background(), Kotlin, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if tree.HasError {
			t.Errorf("%q: syntax error: %s", source, dump(tree.Root()))
		}
	}
}

// TestAssigns parses sources that may look like an assignment to a property of a call's result.
func TestAssigns(t *testing.T) {
	p := NewParser()
	defer p.Close()
	for source, want := range map[string]bool{
		"fun f() {\n a().b = c\n}": true, "fun f() {\n a { }.b\n .c = c + d\n}": true,
		"fun f() {\n a.b = c\n}": false, "fun f() {\n val a = b().c + d\n}": false, "fun f() = a().b + c": false,
		"fun f() {\n a().b == c\n}": false, "fun f() {\n g(a = b().c)\n}": false, "val x: () -> A.B = c": false,
	} {
		tree, err := p.Parse(context.Background(), Kotlin, []byte(source))
		if err != nil || tree.HasError {
			t.Fatal(source, err)
		}
		got := false
		for i := range tree.nodes {
			got = got || Assigns(Node{tree, uint32(i), uint32(len(tree.nodes))})
		}
		if got != want {
			t.Errorf("%q: %v", source, got)
		}
	}
}

func TestCleanKeepsOffsets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	words := []string{
		"class ", "object ", "interface ", "fun ", "by ", "in ", "!in ", "{", " }", "(", ")", "\"", "\"\"\"", "${", "$x", "\n", "\r\n",
		"//", "/*", "*/", "'", "\\", "`", "..<", ":", "@A", "@A(", ").x = ", ".(", "as ", "0b1", "constructor", "!!", "?.", ",", "=", ";", "x", "é", "\x00", "return",
	}
	for range shorten.Count(2000) {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(words[random.IntN(len(words))])
		}
		source := []byte(b.String())
		original := slices.Clone(source)
		for _, lang := range []Language{Java, Kotlin} {
			if got := clean(nil, lang, source); len(got) != len(source) {
				t.Fatalf("%q becomes %q", source, got)
			}
		}
		if !slices.Equal(source, original) {
			t.Fatalf("%q is changed in place", original)
		}
	}
}

// TestBufferEqualsParse edits a text at random. It compares the tree of the buffer with the tree of a
// parser without an earlier tree.
func TestBufferEqualsParse(t *testing.T) {
	texts := map[Language]string{
		Java:   "package a;\nclass A {\n int x = 1;\n void f(int i) { g(() -> h(\"s\" + i)); }\n /* c */ class B { }\n}\n",
		Kotlin: "package a\nclass A(val x: Int) : B() {\n fun f(i: Int) { g { h(\"s $i ${i + 1}\") } }\n /* c */ object O\n}\n",
	}
	words := []string{"", " ", "\n", "x", "{", "}", "(", ")", "\"", "/*", "*/", "fun q() { }\n", "void q() { }\n", ";", "1", "class "}
	p, oracle := NewParser(), NewParser()
	defer p.Close()
	defer oracle.Close()
	for lang, original := range texts {
		random := rand.New(rand.NewPCG(uint64(lang), 7))
		b := NewBuffer(lang)
		text := original
		for round := range shorten.Count(600) {
			if round%10 == 0 {
				text = original
			} else {
				from := random.IntN(len(text) + 1)
				to := min(len(text), from+random.IntN(6))
				text = text[:from] + words[random.IntN(len(words))] + text[to:]
			}
			got, err := p.ParseBuffer(context.Background(), b, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			want, err := oracle.Parse(context.Background(), lang, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := dump(got.Root()), dump(want.Root()); got != want {
				t.Fatalf("%q:\n%s\nwant\n%s", text, got, want)
			}
		}
		b.Close()
	}
}

func TestParseIsCancelled(t *testing.T) {
	p := NewParser()
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Parse(ctx, Java, []byte("class A { }")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if tree, err := p.Parse(context.Background(), Java, []byte("class A { }")); err != nil || tree.HasError {
		t.Error("the parser does not work after it was cancelled:", err)
	}
}

func TestParseBoundsDepth(t *testing.T) {
	p := NewParser()
	defer p.Close()
	tree, err := p.Parse(context.Background(), Java, []byte("class A { int x = "+strings.Repeat("(", 30000)+"1"+strings.Repeat(")", 30000)+"; }"))
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for n := tree.Root(); n.Exists(); depth++ {
		n = n.Last()
	}
	if depth > 6001 {
		t.Error("depth", depth)
	}
}

// TestOpenStringsDoNotEndTheProcess parses a text with more unclosed templates than the grammar's
// scanner can count.
func TestOpenStringsDoNotEndTheProcess(t *testing.T) {
	p := NewParser()
	defer p.Close()
	for _, piece := range []string{"\"${", "\"${ ) \" x \" ", "fun f() = \"${ a ) b }\"\n", "\"\"\"${"} {
		if _, err := p.Parse(context.Background(), Kotlin, []byte(strings.Repeat(piece, 3000))); err != nil && !errors.Is(err, ErrTimeout) {
			t.Error(err)
		}
	}
}

func TestNoNode(t *testing.T) {
	var n Node
	if n.Exists() || n.Kind() != "" || n.Text() != "" || n.Field() != "" || n.First().Exists() || n.Next().Exists() || n.Child("x").Exists() {
		t.Error("there is something where nothing is")
	}
	p := NewParser()
	defer p.Close()
	tree, err := p.Parse(context.Background(), Kotlin, nil)
	if err != nil || tree.Root().Text() != "" {
		t.Error(err)
	}
}
