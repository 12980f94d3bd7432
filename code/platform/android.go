package platform

import (
	"slices"

	"github.com/diffprof/diffprof/name"
)

// android describes Android's framework and its runtime, ART or Dalvik.
var android = system{
	lang:      name.JVM,
	separator: ".",
	parents: slices.Concat(below("android", androidParts), vendors, []string{
		"com.android.i18n", "com.android.icu", "com.android.ims", "com.android.internal",
		"com.android.okhttp", "com.android.org", "com.android.server",
		"dalvik", "libcore", "javax.microedition",
		"org.apache.http", // The class table has only those packages of org.apache.http to which other packages refer.
		// WebView is updated separately, so it is not in the class table of any Android version.
		"com.android.webview", "org.chromium",
	}),
	// Android's HttpClient lacks this package, so apps that use it ship it.
	except: slices.Concat(vendorsApps, []string{"org.apache.http.entity.mime"}),
	modules: []string{
		"libart", "libartd", "libartbase", "libdvm", "libdexfile", "libnativebridge", "libnativehelper", "libnativeloader", "libsigchain",
		"app_process", "app_process32", "app_process64",
	},
	waits: map[string][]string{
		"android.os.MessageQueue": {"nativePollOnce"},
		"java.lang.Thread":        {"parkFor$", "parkUntil$"},
		"java.lang.VMThread":      {"sleep"},
		"libcore.io.Linux":        {"accept", "connect", "poll", "recvfromBytes", "recvmsg", "waitpid"},
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
		// The wrappers of AsyncTask around its background work.
		"android.os.AsyncTask$SerialExecutor$1": {"run": Launcher},
		"android.os.AsyncTask$2":                {"call": Launcher},
		"android.os.AsyncTask$3":                {"call": Launcher},
		// Messages, remote calls and events from native code arrive in these methods.
		"android.os.Handler":                {"dispatchMessage": Starter},
		"android.os.Binder":                 {"execTransact": Starter, "execTransactInternal": Inner},
		"android.view.InputEventReceiver":   {"dispatchInputEvent": Starter},
		"android.view.InputEventSender":     {"dispatchInputEventFinished": Starter},
		"android.view.DisplayEventReceiver": {"dispatchVsync": Starter},
	},
}

// androidAlone are packages of Android that the JDK lacks. In a run on a JDK, they are libraries of
// the app.
var androidAlone = []string{
	"com.google", "junit", "org.apache", "org.ccil", "org.chromium", "org.json", "org.junit", "org.kxml2", "org.xmlpull",
}

// androidParts are the names that can follow "android." in package names. They include the packages
// of all Android versions, and those of known vendors. Beginners use other names for their apps,
// such as android.example.
var androidParts = []string{
	"accessibility", "accessibilityservice", "accounts", "aconfig", "aconfigd", "adaptiveauth", "adpf",
	"adservices", "animation", "annotation", "anr", "apex", "app", "apphibernation", "appsearch",
	"appwidget", "attention", "audio", "bluetooth", "car", "chre", "companion", "compat", "content",
	"contexthub", "corenetworking", "crashrecovery", "credentials", "crypto", "database", "ddm", "debug",
	"devicelock", "display", "drm", "emoji", "federatedcompute", "filterfw", "filterpacks", "flags",
	"framework", "frameworks", "gamedriver", "gesture", "graphics", "gsi", "gui", "hardware", "health",
	"healthfitness", "hidl", "hotword", "icu", "input", "inputmethodservice", "internal", "jank",
	"location", "media", "memory", "metrics", "mmd", "mms", "mtp", "multiuser", "nearby", "net",
	"neuralnetworks", "nfc", "ondevicepersonalization", "opengl", "os", "ota", "pdf", "performance",
	"permission", "permissionpresenterservice", "photopicker", "power", "preference", "print",
	"printservice", "privacy", "processor", "provider", "providers", "ranging", "ravenwood",
	"renderscript", "rotationresolver", "safetycenter", "safetylabel", "sax", "scheduling", "sdk", "se",
	"security", "server", "service", "speech", "stats", "sysprop", "system", "telecom", "telephony",
	"test", "text", "timezone", "tracing", "transition", "transparency", "updatabledriver",
	"uprobestats", "util", "uwb", "view", "webkit", "widget", "window",
	// Vendors' packages.
	"htc", "huawei", "hwtheme", "iawareperf", "lge", "miui", "motorola", "oplus", "oppo", "rms", "samsung",
	"sec", "sony", "vivo", "zrhung", "zte",
}

// below returns the packages with the given names in a parent package, such as android.app.
func below(parent string, names []string) []string {
	packages := make([]string, len(names))
	for i, name := range names {
		packages[i] = parent + "." + name
	}
	return packages
}
