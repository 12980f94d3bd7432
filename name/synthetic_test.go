package name_test

import (
	"testing"

	"github.com/diffprof/diffprof/name"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ class, method, plainClass, plainMethod string }{
		{"android.view.-$$Lambda$ViewRootImpl$YBiqAhbCbXVPSKdbE3K4rH2gpxI", "run", "android.view.-$$Lambda$ViewRootImpl", "run"},
		{"android.app.-$$Lambda$OGSS2qx6njxlnp0dnKb4lA3jnw8", "run", "android.app.-$$Lambda", "run"},
		{"a.Main$$ExternalSyntheticLambda3", "onClick", "a.Main$$ExternalSyntheticLambda", "onClick"},
		{"a.Main$$InternalSyntheticLambda$1$1f9a7c$0", "onClick", "a.Main$$InternalSyntheticLambda", "onClick"},
		{"a.Main$$Lambda$14", "run", "a.Main$$Lambda", "run"},
		{"a.Main$$Lambda$14/0x0000000800c03000", "run", "a.Main$$Lambda", "run"},
		{"a.Main$$Lambda/0x0000000800c03000", "run", "a.Main$$Lambda", "run"},
		{"a.Main$$Lambda+0x000001c39a007200/2136288211", "run", "a.Main$$Lambda", "run"},
		{"a.Main$$Lambda_", "run", "a.Main$$Lambda", "run"},
		{"a.Main$$Lambda+0x0000000800c03000", "run", "a.Main$$Lambda", "run"},
		{"java.lang.invoke.LambdaForm$DMH.266272063", "invoke", "java.lang.invoke.LambdaForm$DMH", "invoke"},
		{"java.lang.invoke.LambdaForm$MH/266272063", "invoke", "java.lang.invoke.LambdaForm$MH", "invoke"},
		{"java.lang.invoke.LambdaForm$MH.0x0000000801578c00", "invoke", "java.lang.invoke.LambdaForm$MH", "invoke"},
		{"jdk.internal.reflect.GeneratedMethodAccessor17", "invoke", "jdk.internal.reflect.GeneratedMethodAccessor", "invoke"},
		{"jdk.internal.reflect.GeneratedMethodAccessor_", "invoke", "jdk.internal.reflect.GeneratedMethodAccessor", "invoke"},
		{"com.sun.proxy.$Proxy12", "run", "com.sun.proxy.$Proxy", "run"},
		{"jdk.proxy2.$Proxy12", "run", "jdk.proxy.$Proxy", "run"},
		{"a.Generated2", "run", "a.Generated2", "run"},
		{"a.Main", "lambda$onCreate$0", "a.Main", "lambda$onCreate"},
		{"a.Main", "lambda$onCreate$0$com-a-Main", "a.Main", "lambda$onCreate"},
		{"a.Main", "lambda$on$Create$12", "a.Main", "lambda$on$Create"},
		{"a.MainKt", "onCreate$lambda$0", "a.MainKt", "onCreate$lambda"},
		{"a.MainKt", "onCreate$lambda-0", "a.MainKt", "onCreate$lambda"},
		{"a.Main", "$r8$lambda$3WFqbcIGxXJlGqKQkQp3y8nRZyE", "a.Main", "$r8$lambda"},
		{"a.Main", "lambda", "a.Main", "lambda"},
		{"a.Lambda", "run", "a.Lambda", "run"},
		{"a.LambdaTask$1", "run2", "a.LambdaTask$1", "run2"},
	} {
		want := name.OfClass(c.plainClass, c.plainMethod, "()V")
		got := name.OfClass(c.class, c.method, "()V").Plain()
		if got != want {
			t.Errorf("%s.%s is plainly %s", c.class, c.method, got.Label())
		}
		if again := got.Plain(); again != got {
			t.Errorf("%s is plainly %s", got.Label(), again.Label())
		}
	}
}

func TestSynthetic(t *testing.T) {
	for _, c := range []struct {
		class, method string
		stub, lambda  bool
	}{
		{"android.app.ActivityThread", "access$1600", true, false},
		{"a.B", "access$getX$p", true, false},
		{"android.app.ActivityThread", "-wrap11", true, false},
		{"a.B", "-$$Nest$fgetx", true, false},
		{"kotlin.text.Regex", "find$default", true, false},
		{"a.B", "$r8$lambda$3WFqbcIGxXJlGqKQkQp3y8nRZyE", true, false},
		{"a.B$$ExternalSyntheticLambda0", "run", false, true},
		{"a.-$$Lambda$B", "run", false, true},
		{"a.B", "lambda$run$0", false, false},
		{"a.B", "access", false, false},
		{"a.B", "default", false, false},
	} {
		m := name.OfClass(c.class, c.method, "()V")
		if m.IsStub() != c.stub || m.IsLambda() != c.lambda {
			t.Errorf("%s: stub %v, lambda %v", m.Label(), m.IsStub(), m.IsLambda())
		}
	}
}

func TestBare(t *testing.T) {
	for _, c := range []struct {
		text string
		lang name.Lang
		want string
	}{
		{"java.util.Map.get(Ljava/lang/Object;)Ljava/lang/Object;", name.JVM, "java.util.Map.get"},
		{"java.util.Map.get_[j]", name.JVM, "java.util.Map.get"},
		{"libc.so.6`read_[k]", name.Unknown, "read"},
		{"libjvm.so.JavaThread::run()", name.Unknown, "JavaThread::run()"},
		{"main.run[go.shape.int]", name.Go, "main.run[go.shape.int]"},
	} {
		m := name.Parse(c.text, c.lang).Bare()
		if m.Label() != c.want || m.Bare() != m {
			t.Errorf("%s is barely %s", c.text, m.Label())
		}
	}
}
