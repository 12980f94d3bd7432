package instrument

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// prelude is the beginning of each generated class. %[1]s is the name of the class.
const prelude = `final class %[1]s {
  static int fuel;
  static long total;
  static final Object LOCK = new Object();
  static final int[] TABLE = {3, -1, 4, 1, -5, 9, 2, 6};
  final Object lock = new Object();
  int field;
  long wideField;

  static final class Own extends RuntimeException {
    final int code;
    Own(int code) { super("own " + code); this.code = code; }
  }
  static abstract class Base {
    long scale = 3;
    abstract long apply(int x, long y, double z);
    long twice(int x, long y) { return apply(x, y, 0.5) + apply(x + 1, y, 1.5); }
  }
  static final class Plus extends Base {
    long apply(int x, long y, double z) { return x + y * scale + (long) z; }
    long twice(int x, long y) { return super.twice(x, y) + 1; }
  }
  static final class Times extends Base {
    synchronized long apply(int x, long y, double z) { return 100 / x * y + (long) (z * scale); }
  }
  static String cut(String s) { return s.length() > 40 ? "cut" + s.length() : s; }
  static void log(String s) { System.out.println(s); }

`

// A javaGenerator writes a random Java program.
type javaGenerator struct {
	r       *rand.Rand
	out     strings.Builder
	indent  string
	methods []javaMethod
	// scope has the variables in scope, by type.
	scope map[string][]string
	next  int
	loops int
	self  javaMethod
}

type javaMethod struct {
	name, result string
	parameters   []string
	instance     bool
}

var javaTypes = []string{"int", "int", "long", "long", "double", "float", "String"}

func (g *javaGenerator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *javaGenerator) line(format string, args ...any) {
	g.out.WriteString(g.indent + fmt.Sprintf(format, args...) + "\n")
}

// javaProgram returns the source of a class with a main method.
func javaProgram(class string, seed uint64) string {
	g := &javaGenerator{r: rand.New(rand.NewPCG(seed, 1)), scope: make(map[string][]string)}
	fmt.Fprintf(&g.out, prelude, class)
	for i := range 4 + g.r.IntN(2) {
		m := javaMethod{name: fmt.Sprint("m", i), result: g.pick(javaTypes...), instance: g.r.IntN(2) == 0}
		for range 1 + g.r.IntN(7) {
			m.parameters = append(m.parameters, g.pick(javaTypes...))
		}
		g.methods = append(g.methods, m)
	}
	for _, m := range g.methods {
		g.method(class, m)
	}
	g.indent = "  "
	g.line("public static void main(String[] args) {")
	g.indent = "    "
	g.line("%s self = new %[1]s();", class)
	g.scope = map[string][]string{}
	g.self = javaMethod{}
	for _, m := range g.methods {
		for range 2 {
			g.line("fuel = 25;")
			g.line("try {")
			g.line("  log(cut(\"%s \" + %s));", m.name, g.shown(m.result, g.call(m, 0)))
			g.line("} catch (Own e) {")
			g.line("  log(e.getMessage() + e.code);")
			g.line("} catch (ArithmeticException | IndexOutOfBoundsException e) {")
			g.line("  log(\"arithmetic or index\");")
			g.line("}")
		}
	}
	g.line("Thread thread = new Thread(() -> log(cut(\"thread \" + %s)));", g.shown(g.methods[0].result, g.call(g.methods[0], 0)))
	g.line("fuel = 9;")
	g.line("try { log(\"in a thread\"); %s; } catch (RuntimeException e) { log(\"thrown\"); }", g.call(g.methods[1], 0))
	g.line("fuel = -1;")
	g.line("thread.start();")
	g.line("try { thread.join(); } catch (InterruptedException e) { log(\"interrupted\"); }")
	g.line("log(total + \" \" + self.field + \" \" + self.wideField);")
	g.out.WriteString("  }\n}\n")
	return g.out.String()
}

// shown returns an expression for appending e to a string. Java formats doubles differently, so
// they are converted.
func (g *javaGenerator) shown(typ, e string) string {
	switch typ {
	case "double":
		return "(long) (" + e + ")"
	case "float":
		return "(int) (" + e + ")"
	}
	return "(" + e + ")"
}

func (g *javaGenerator) method(class string, m javaMethod) {
	g.indent, g.loops, g.self = "  ", 0, m
	g.scope = make(map[string][]string)
	var list []string
	for i, p := range m.parameters {
		name := fmt.Sprint("p", i)
		list = append(list, p+" "+name)
		g.scope[p] = append(g.scope[p], name)
	}
	modifiers := ""
	if !m.instance {
		modifiers = "static "
	}
	if g.r.IntN(4) == 0 {
		modifiers += "synchronized "
	}
	self := ""
	if !m.instance {
		self = class + " self" // a static method reaches the object as a parameter
		list = append(list, self)
	}
	g.line("%s%s %s(%s) {", modifiers, m.result, m.name, strings.Join(list, ", "))
	g.indent = "    "
	if m.instance {
		g.line("%s self = this;", class)
	}
	g.line("if (--fuel < 0) { return %s; }", g.literal(m.result))
	for range g.r.IntN(14) {
		g.declare()
	}
	for _, typ := range javaTypes {
		if len(g.scope[typ]) == 0 {
			g.line("%s z%s = %s;", typ, typ, g.literal(typ))
			g.scope[typ] = append(g.scope[typ], "z"+typ)
		}
	}
	for range 2 {
		g.block(2)
	}
	g.line("return %s;", g.value(m.result, 2))
	g.indent = "  "
	g.line("}")
}

func (g *javaGenerator) declare() {
	typ := g.pick(javaTypes...)
	value := g.literal(typ)
	if len(g.scope[typ]) > 0 {
		value = g.value(typ, 1)
	}
	name := fmt.Sprint("v", g.next)
	g.next++
	g.line("%s %s = %s;", typ, name, value)
	g.scope[typ] = append(g.scope[typ], name)
}

// nested writes statements in braces. Variables declared in them are in scope only there.
func (g *javaGenerator) nested(depth int) {
	saved := make(map[string][]string)
	for typ, names := range g.scope {
		saved[typ] = names[:len(names):len(names)]
	}
	indent := g.indent
	g.indent += "  "
	g.block(depth)
	g.indent = indent
	g.scope = saved
}

func (g *javaGenerator) block(depth int) {
	for range 1 + g.r.IntN(2) {
		g.statement(depth)
	}
}

func (g *javaGenerator) statement(depth int) {
	if depth == 0 {
		g.simple()
		return
	}
	switch g.r.IntN(11) {
	case 0:
		g.line("if (%s) {", g.test())
		g.nested(depth - 1)
		g.line("} else {")
		g.nested(depth - 1)
		g.line("}")
	case 1, 2:
		i := fmt.Sprint("i", g.next)
		g.next++
		g.line("for (int %s = 0; %[1]s < %d; %[1]s++) {", i, 2+g.r.IntN(3))
		g.loops++
		g.nested(depth - 1)
		g.loops--
		g.line("}")
	case 3:
		g.line("switch (%s & 7) {", g.value("int", 1))
		for k := range 3 {
			g.line("case %d:", k)
			g.nested(depth - 1)
			if g.r.IntN(4) > 0 {
				g.line("  break;")
			}
		}
		g.line("default:")
		g.simple()
		g.line("}")
	case 4:
		g.line("switch (%s %% 3 * 1000) {", g.value("int", 1))
		for _, k := range []int{-2000, 0, 1000} {
			g.line("case %d:", k)
			g.nested(depth - 1)
			g.line("  break;")
		}
		g.line("}")
	case 5:
		g.line("switch (%s) {", g.value("String", 0))
		g.line("case \"alpha\":")
		g.nested(depth - 1)
		g.line("  break;")
		g.line("case \"\":")
		g.simple()
		g.line("}")
	case 6, 7:
		g.line("try {")
		g.nested(depth - 1)
		g.line("  %s", g.leave())
		form := g.r.IntN(4)
		if form > 0 {
			e := fmt.Sprint("e", g.next)
			g.next++
			switch g.r.IntN(3) {
			case 0:
				g.line("} catch (ArithmeticException | IndexOutOfBoundsException %s) {", e)
			case 1:
				g.line("} catch (Own %s) {", e)
				g.line("  %s += %s.code;", g.pick(g.scope["int"]...), e)
			default:
				g.line("} catch (RuntimeException %s) {", e)
			}
			g.nested(depth - 1)
		}
		if form < 3 {
			g.line("} finally {")
			g.nested(depth - 1)
		}
		g.line("}")
	case 8, 9:
		g.line("synchronized (%s) {", g.pick("LOCK", "self.lock", "self"))
		g.nested(depth - 1)
		if g.r.IntN(2) == 0 {
			g.line("  %s", g.leave())
		}
		g.line("}")
	default:
		g.simple()
	}
}

// leave returns a statement that may leave the block.
func (g *javaGenerator) leave() string {
	ways := []string{fmt.Sprintf("throw new Own(%s);", g.value("int", 0)), fmt.Sprintf("return %s;", g.value(g.self.result, 1))}
	if g.loops > 0 {
		ways = append(ways, "break;", "continue;")
	}
	return fmt.Sprintf("if (%s) { %s }", g.test(), g.pick(ways...))
}

func (g *javaGenerator) simple() {
	switch g.r.IntN(10) {
	case 0:
		g.line("log(cut(\"%d \" + %s));", g.r.IntN(100), g.shown("int", g.value("int", 1)))
	case 1:
		g.line("self.field += %s;", g.value("int", 1))
	case 2:
		g.line("self.wideField ^= %s;", g.value("long", 1))
	case 3:
		g.line("TABLE[%s & 7] = %s;", g.value("int", 0), g.value("int", 1))
	case 4:
		g.line("%s", g.leave())
	case 5:
		g.line("total += new %s().twice(%s, %s);", g.pick("Plus", "Times"), g.value("int", 0), g.value("long", 0))
	default:
		typ := g.pick(javaTypes...)
		e := g.value(typ, 2)
		if typ == "String" {
			e = "cut(" + e + ")"
		}
		g.line("%s = %s;", g.pick(g.scope[typ]...), e)
	}
}

func (g *javaGenerator) test() string {
	typ := g.pick("int", "long", "double", "float")
	return g.value(typ, 0) + g.pick(" < ", " >= ", " == ", " != ", " > ") + g.value(typ, 1)
}

func (g *javaGenerator) literal(typ string) string {
	switch typ {
	case "int":
		return g.pick("0", "1", "-1", "7", "-129", "40000", "0x7fffffff", "1 << 20")
	case "long":
		return g.pick("0L", "1L", "-1L", "123456789012L", "1L << 40", "-32769L")
	case "double":
		return g.pick("0.0", "1.5", "-2.25", "1e100")
	case "float":
		return g.pick("0f", "1.5f", "-3.25f", "1e20f")
	}
	return g.pick(`""`, `"alpha"`, `"beta"`, `"x"`)
}

func (g *javaGenerator) call(m javaMethod, depth int) string {
	var args []string
	for _, p := range m.parameters {
		args = append(args, g.value(p, depth))
	}
	if m.instance {
		return "self." + m.name + "(" + strings.Join(args, ", ") + ")"
	}
	return m.name + "(" + strings.Join(append(args, "self"), ", ") + ")"
}

// value returns an expression of the given type.
func (g *javaGenerator) value(typ string, depth int) string {
	if depth == 0 || g.r.IntN(5) == 0 {
		if names := g.scope[typ]; len(names) > 0 && g.r.IntN(5) > 0 {
			return g.pick(names...)
		}
		return "(" + g.literal(typ) + ")"
	}
	if g.r.IntN(4) == 0 {
		for range 4 {
			if m := g.methods[g.r.IntN(len(g.methods))]; m.result == typ {
				return g.call(m, 0)
			}
		}
	}
	sub := func(typ string) string { return g.value(typ, depth-1) }
	switch typ {
	case "int":
		switch g.r.IntN(8) {
		case 0:
			return "(int) " + sub(g.pick("long", "double", "float"))
		case 1:
			return "TABLE[" + sub("int") + " & " + g.pick("7", "7", "15") + "]"
		case 2:
			return sub("String") + ".length()"
		case 3:
			return "Math.max(" + sub("int") + ", Integer.valueOf(" + sub("int") + "))"
		case 4:
			return g.pick("(byte) ", "(short) ", "(char) ") + sub("int")
		}
		return "(" + sub("int") + g.pick(" + ", " - ", " * ", " / ", " % ", " & ", " ^ ", " << ", " >>> ") + sub("int") + ")"
	case "long":
		if g.r.IntN(3) == 0 {
			return "(long) " + sub(g.pick("int", "double", "float"))
		}
		return "(" + sub("long") + g.pick(" + ", " - ", " * ", " / ", " % ", " | ", " ^ ", " >> ", " >>> ") + sub("long") + ")"
	case "double", "float":
		if g.r.IntN(3) == 0 {
			return "(" + typ + ") " + sub(g.pick("int", "long", "double", "float"))
		}
		return "(" + sub(typ) + g.pick(" + ", " - ", " * ", " / ", " % ") + sub(typ) + ")"
	}
	return "(" + g.value("String", 0) + " + " + g.shown("long", g.value(g.pick("int", "long", "String"), 0)) + ")"
}
