package platform

import "github.com/diffprof/diffprof/code/name"

// android is Android's framework and its runtime, ART or Dalvik.
var android = system{
	lang:      name.JVM,
	separator: ".",
	parents: []string{
		"android",
		"com.android.i18n", "com.android.icu", "com.android.ims", "com.android.internal",
		"com.android.okhttp", "com.android.org", "com.android.server",
		"dalvik", "libcore", "javax.microedition",
		"org.apache.http", // The class table has only the packages that other packages need.
	},
	libraries: []string{
		"android.arch", "android.databinding", "android.support",
		// Android left out HttpClient's multipart bodies: an app brings them.
		"org.apache.http.entity.mime",
	},
	roles: map[string]map[string]Role{
		// The start of a process and of its main thread.
		"com.android.internal.os.ZygoteInit":                      {"main": Launcher},
		"com.android.internal.os.ZygoteInit$MethodAndArgsCaller":  {"run": Launcher},
		"com.android.internal.os.RuntimeInit$MethodAndArgsCaller": {"run": Launcher},
		"android.app.ActivityThread":                              {"main": Launcher},
		// Threads and their event loops.
		"android.os.HandlerThread": {"run": Launcher},
		"android.os.Looper":        {"loop": Launcher, "loopOnce": Launcher},
		"java.lang.Daemons$Daemon": {"run": Launcher},
		// The wrappers that AsyncTask puts around a task.
		"android.os.AsyncTask$SerialExecutor$1": {"run": Launcher},
		"android.os.AsyncTask$2":                {"call": Launcher},
		"android.os.AsyncTask$3":                {"call": Launcher},
		// Where messages, remote calls and events from native code arrive.
		"android.os.Handler":                {"dispatchMessage": Starter},
		"android.os.Binder":                 {"execTransact": Starter, "execTransactInternal": Inner},
		"android.view.InputEventReceiver":   {"dispatchInputEvent": Starter},
		"android.view.InputEventSender":     {"dispatchInputEventFinished": Starter},
		"android.view.DisplayEventReceiver": {"dispatchVsync": Starter},
	},
}
