package dextest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// supers has the superclasses of library classes, if they are not Object.
var supers = map[string]string{
	"Ljava/lang/Error;":                          "Ljava/lang/Throwable;",
	"Ljava/lang/StackOverflowError;":             "Ljava/lang/Error;",
	"Ljava/lang/ThreadDeath;":                    "Ljava/lang/Error;",
	"Ljava/lang/Exception;":                      "Ljava/lang/Throwable;",
	"Ljava/lang/RuntimeException;":               "Ljava/lang/Exception;",
	"Ljava/lang/IllegalStateException;":          "Ljava/lang/RuntimeException;",
	"Ljava/lang/IllegalArgumentException;":       "Ljava/lang/RuntimeException;",
	"Ljava/lang/NullPointerException;":           "Ljava/lang/RuntimeException;",
	"Ljava/lang/ArithmeticException;":            "Ljava/lang/RuntimeException;",
	"Ljava/lang/ClassCastException;":             "Ljava/lang/RuntimeException;",
	"Ljava/lang/NegativeArraySizeException;":     "Ljava/lang/RuntimeException;",
	"Ljava/lang/ArrayStoreException;":            "Ljava/lang/RuntimeException;",
	"Ljava/lang/IndexOutOfBoundsException;":      "Ljava/lang/RuntimeException;",
	"Ljava/lang/ArrayIndexOutOfBoundsException;": "Ljava/lang/IndexOutOfBoundsException;",
	"Ljava/lang/Integer;":                        "Ljava/lang/Number;",
	"Ljava/lang/Long;":                           "Ljava/lang/Number;",
}

var libraryInterfaces = map[string][]string{
	"Ljava/lang/String;":        {"Ljava/lang/CharSequence;", "Ljava/lang/Comparable;"},
	"Ljava/lang/StringBuilder;": {"Ljava/lang/CharSequence;"},
	"Ljava/util/ArrayList;":     {"Ljava/util/List;"},
	"Ljava/util/List;":          {"Ljava/util/Collection;"},
	"Ljava/lang/Thread;":        {"Ljava/lang/Runnable;"},
}

// A native is a library method, implemented in Go.
type native func(m *Machine, args []value) (value, *object)

// text returns the result of toString, or the exception that it throws.
func (m *Machine) text(o *object) (string, *object) {
	if o == nil {
		return "null", nil
	}
	x, thrown := m.dispatch(o.class, "toString()Ljava/lang/String;", []value{refTo(o)})
	if thrown != nil || x.ref == nil {
		return "null", thrown
	}
	return x.ref.native.(string), nil
}

// scalar formats a value of a primitive type.
func scalar(x value, typ string) string {
	switch typ {
	case "Z":
		return strconv.FormatBool(x.n != 0)
	case "C":
		return string(rune(x.n))
	}
	return strconv.FormatInt(x.n, 10)
}

// library returns the library methods by class, name and signature.
func library() map[string]native {
	str := func(x value) string { return x.ref.native.(string) }
	stringResult := func(s string) (value, *object) { return refTo(stringOf(s)), nil }
	const s, sb = "Ljava/lang/String;", "Ljava/lang/StringBuilder;"
	out := func(m *Machine, text string) (value, *object) {
		m.Output.WriteString(text + "\n")
		return value{}, nil
	}
	library := map[string]native{
		"Ljava/lang/Object;-><init>()V": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.fresh = false
			return value{}, nil
		},
		"Ljava/lang/Object;->toString()" + s: func(_ *Machine, a []value) (value, *object) { return stringResult(a[0].ref.class) },
		"Ljava/lang/Object;->getClass()Ljava/lang/Class;": func(_ *Machine, a []value) (value, *object) {
			return refTo(&object{class: "Ljava/lang/Class;", native: a[0].ref.class}), nil
		},
		"Ljava/util/Objects;->requireNonNull(Ljava/lang/Object;)Ljava/lang/Object;": func(m *Machine, a []value) (value, *object) {
			if a[0].ref == nil {
				return value{}, m.exception("Ljava/lang/NullPointerException;", "")
			}
			return a[0], nil
		},
		s + "->toString()" + s: func(_ *Machine, a []value) (value, *object) { return a[0], nil },
		s + "->length()I":      func(_ *Machine, a []value) (value, *object) { return intOf(int32(len(str(a[0])))), nil },
		s + "->hashCode()I": func(_ *Machine, a []value) (value, *object) {
			h := int32(0)
			for _, c := range str(a[0]) {
				h = 31*h + int32(c)
			}
			return intOf(h), nil
		},
		s + "->equals(Ljava/lang/Object;)Z": func(_ *Machine, a []value) (value, *object) {
			if a[1].ref == nil {
				return boolOf(false), nil
			}
			other, ok := a[1].ref.native.(string)
			return boolOf(ok && a[1].ref.class == s && other == str(a[0])), nil
		},
		s + "->charAt(I)C": func(m *Machine, a []value) (value, *object) {
			if i := a[1].n; i >= 0 && i < int64(len(str(a[0]))) {
				return intOf(int32(str(a[0])[i])), nil
			}
			return value{}, m.exception("Ljava/lang/IndexOutOfBoundsException;", "")
		},
		s + "->concat(" + s + ")" + s: func(_ *Machine, a []value) (value, *object) { return stringResult(str(a[0]) + str(a[1])) },
		sb + "-><init>()V": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.native, a[0].ref.fresh = "", false
			return value{}, nil
		},
		sb + "-><init>(" + s + ")V": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.native, a[0].ref.fresh = str(a[1]), false
			return value{}, nil
		},
		sb + "->toString()" + s: func(_ *Machine, a []value) (value, *object) { return stringResult(str(a[0])) },
		sb + "->length()I":      func(_ *Machine, a []value) (value, *object) { return intOf(int32(len(str(a[0])))), nil },
		"Ljava/lang/Double;->doubleToLongBits(D)J": func(_ *Machine, a []value) (value, *object) {
			if x := math.Float64frombits(uint64(a[0].n)); x != x {
				return longOf(0x7ff8000000000000), nil
			}
			return longOf(a[0].n), nil
		},
		"Ljava/lang/Float;->floatToIntBits(F)I": func(_ *Machine, a []value) (value, *object) {
			if x := math.Float32frombits(uint32(a[0].n)); x != x {
				return intOf(0x7fc00000), nil
			}
			return intOf(int32(a[0].n)), nil
		},
		"Ljava/lang/Math;->max(II)I": func(_ *Machine, a []value) (value, *object) { return intOf(int32(max(a[0].n, a[1].n))), nil },
		"Ljava/lang/Math;->min(JJ)J": func(_ *Machine, a []value) (value, *object) { return longOf(min(a[0].n, a[1].n)), nil },
		"Ljava/lang/Math;->abs(I)I": func(_ *Machine, a []value) (value, *object) {
			return intOf(int32(max(a[0].n, -a[0].n))), nil
		},
		"Ljava/lang/Throwable;->getMessage()" + s: func(_ *Machine, a []value) (value, *object) {
			if text, ok := a[0].ref.native.(string); ok {
				return stringResult(text)
			}
			return refTo(nil), nil
		},
		"Ljava/lang/Throwable;->addSuppressed(Ljava/lang/Throwable;)V": func(*Machine, []value) (value, *object) { return value{}, nil },
		"Ljava/lang/Throwable;-><init>()V": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.fresh = false
			return value{}, nil
		},
		"Ljava/lang/Throwable;-><init>(" + s + ")V": func(_ *Machine, a []value) (value, *object) {
			if a[0].ref.fresh = false; a[1].ref != nil {
				a[0].ref.native = str(a[1])
			}
			return value{}, nil
		},
		"Ljava/lang/Thread;-><init>(Ljava/lang/Runnable;)V": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.fresh, a[0].ref.native = false, a[1].ref
			return value{}, nil
		},
		"Ljava/lang/Thread;->start()V": func(m *Machine, a []value) (value, *object) {
			o := a[0].ref
			if task, ok := o.native.(*object); ok && task != nil {
				o = task
			}
			if _, thrown := m.dispatch(o.class, "run()V", []value{refTo(o)}); thrown != nil {
				m.Output.WriteString("thread ended by " + thrown.class + "\n")
			}
			return value{}, nil
		},
		"Ljava/lang/Thread;->join()V": func(*Machine, []value) (value, *object) { return value{}, nil },
		"Ljava/util/ArrayList;-><init>()V": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.fresh = false
			return value{}, nil
		},
		"Ljava/util/ArrayList;->add(Ljava/lang/Object;)Z": func(_ *Machine, a []value) (value, *object) {
			a[0].ref.array = append(a[0].ref.array, a[1])
			return boolOf(true), nil
		},
		"Ljava/util/ArrayList;->size()I": func(_ *Machine, a []value) (value, *object) { return intOf(int32(len(a[0].ref.array))), nil },
		"Ljava/util/ArrayList;->get(I)Ljava/lang/Object;": func(m *Machine, a []value) (value, *object) {
			if i := a[1].n; i >= 0 && i < int64(len(a[0].ref.array)) {
				return a[0].ref.array[i], nil
			}
			return value{}, m.exception("Ljava/lang/IndexOutOfBoundsException;", "")
		},
		"Ljava/util/ArrayList;->toString()" + s: func(m *Machine, a []value) (value, *object) {
			var texts []string
			for _, x := range a[0].ref.array {
				text, thrown := m.text(x.ref)
				if thrown != nil {
					return value{}, thrown
				}
				texts = append(texts, text)
			}
			return stringResult("[" + strings.Join(texts, ", ") + "]")
		},
	}
	for _, typ := range []string{"I", "J", "C", "Z", s, "Ljava/lang/Object;"} {
		text := func(m *Machine, x value) (string, *object) {
			if kindOf(typ) == reference {
				return m.text(x.ref)
			}
			return scalar(x, typ), nil
		}
		library[sb+"->append("+typ+")"+sb] = func(m *Machine, a []value) (value, *object) {
			t, thrown := text(m, a[1])
			a[0].ref.native = str(a[0]) + t
			return a[0], thrown
		}
		library["Ljava/io/PrintStream;->println("+typ+")V"] = func(m *Machine, a []value) (value, *object) {
			t, thrown := text(m, a[1])
			if thrown != nil {
				return value{}, thrown
			}
			return out(m, t)
		}
		library[s+"->valueOf("+typ+")"+s] = func(m *Machine, a []value) (value, *object) {
			t, thrown := text(m, a[0])
			return refTo(stringOf(t)), thrown
		}
	}
	for _, box := range []struct{ class, typ, get string }{{"Ljava/lang/Integer;", "I", "intValue"}, {"Ljava/lang/Long;", "J", "longValue"}} {
		library[box.class+"->valueOf("+box.typ+")"+box.class] = func(_ *Machine, a []value) (value, *object) {
			return refTo(&object{class: box.class, native: a[0]}), nil
		}
		library[box.class+"->"+box.get+"()"+box.typ] = func(_ *Machine, a []value) (value, *object) { return a[0].ref.native.(value), nil }
		library[box.class+"->toString()"+s] = func(_ *Machine, a []value) (value, *object) {
			return stringResult(fmt.Sprint(a[0].ref.native.(value).n))
		}
	}
	return library
}
