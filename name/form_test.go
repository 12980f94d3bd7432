package name

import "testing"

func TestIsLibrary(t *testing.T) {
	for text, want := range map[string]bool{
		"libc.so": true, "/lib/libc.so.6": true, "kernel32.dll": true, "libSystem.dylib": true,
		"": false, "libc.sound": false, "com.example.Main": false, "dll": false, "a.dll.run": false,
	} {
		if got := isLibrary(text); got != want {
			t.Errorf("isLibrary(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestIsJVM checks that a text without a descriptor needs a package of two lower-case names to
// count as the JVM's, because other languages also write a class and a method with dots.
func TestIsJVM(t *testing.T) {
	for text, want := range map[string]bool{
		"com.example.Main.run": true, "com.example.app.Main.run": true, "com/example/Main.run": true, "com.example.Main.run()V": true,
		"a.Main.<init>": true, "*.onClick": true,
		"example.Main.run": false, "Main.run": false, "Com.Example.Main.Run": false, "com.example.main.run": false, "com/example.a.Main.run": false,
	} {
		if got := isJVM(text); got != want {
			t.Errorf("isJVM(%q) = %v, want %v", text, got, want)
		}
	}
}
