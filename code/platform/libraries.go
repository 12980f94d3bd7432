package platform

import (
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// A library is a group of packages that many apps ship and whose names survive in
// most builds.
type library struct {
	name     string
	packages []string
}

// libraries are the groups that diffprof knows. The first one that a package is in
// is its group.
var libraries = []library{
	{"Compose", []string{"androidx.compose"}},
	{"Room", []string{"androidx.room"}},
	{"WorkManager", []string{"androidx.work"}},
	{"Media3", []string{"androidx.media3", "com.google.android.exoplayer2"}},
	{"androidx", []string{"androidx", "android.arch", "android.databinding"}},
	{"android.support", []string{"android.support"}},
	{"Material", []string{"com.google.android.material"}},
	{"Coroutines", []string{"kotlinx.coroutines"}},
	{"Kotlin", []string{"kotlin", "kotlinx"}},
	{"RxJava", []string{"io.reactivex", "rx", "hu.akarnokd.rxjava", "com.jakewharton.rxbinding", "org.reactivestreams"}},
	{"OkHttp", []string{"okhttp3", "okio", "com.squareup.okhttp", "com.squareup.okio"}},
	{"Retrofit", []string{"retrofit2", "retrofit"}},
	{"Ktor", []string{"io.ktor"}},
	{"Volley", []string{"com.android.volley"}},
	{"Glide", []string{"com.bumptech.glide"}},
	{"Fresco", []string{
		"com.facebook.animated", "com.facebook.binaryresource", "com.facebook.cache", "com.facebook.common",
		"com.facebook.datasource", "com.facebook.drawee", "com.facebook.fresco", "com.facebook.imageformat",
		"com.facebook.imagepipeline", "com.facebook.imageutils", "com.facebook.soloader", "com.facebook.webpsupport",
	}},
	{"Picasso", []string{"com.squareup.picasso"}},
	{"Coil", []string{"coil", "coil3"}},
	{"ImageLoader", []string{"com.nostra13.universalimageloader"}},
	{"DiskLruCache", []string{"com.jakewharton.disklrucache"}},
	{"Lottie", []string{"com.airbnb.lottie"}},
	{"Gson", []string{"com.google.gson"}},
	{"Moshi", []string{"com.squareup.moshi"}},
	{"Jackson", []string{"com.fasterxml.jackson"}},
	{"fastjson", []string{"com.alibaba.fastjson"}},
	{"Protobuf", []string{"com.google.protobuf", "com.squareup.wire"}},
	{"gRPC", []string{"io.grpc"}},
	{"Guava", []string{"com.google.common", "com.google.thirdparty"}},
	{"Commons", []string{"org.apache.commons"}},
	{"Dagger", []string{"dagger", "javax.inject", "com.google.dagger"}},
	{"Koin", []string{"org.koin"}},
	{"ButterKnife", []string{"butterknife"}},
	{"EventBus", []string{"org.greenrobot.eventbus", "de.greenrobot.event"}},
	{"greenDAO", []string{"org.greenrobot.greendao", "de.greenrobot.dao"}},
	{"Realm", []string{"io.realm"}},
	{"Bolts", []string{"bolts", "com.parse.bolts"}},
	{"Timber", []string{"timber.log"}},
	{"LeakCanary", []string{"leakcanary", "com.squareup.leakcanary", "shark"}},
	{"Stetho", []string{"com.facebook.stetho"}},
	{"Crashlytics", []string{"com.crashlytics", "io.fabric", "com.google.firebase.crashlytics"}},
	{"Sentry", []string{"io.sentry"}},
	{"Bugly", []string{"com.tencent.bugly"}},
	{"Umeng", []string{"com.umeng"}},
	{"AMap", []string{"com.amap", "com.autonavi", "com.loc"}},
	{"Firebase", []string{"com.google.firebase"}},
	{"PlayServices", []string{"com.google.android.gms", "com.google.android.play", "com.android.billingclient"}},
	{"HMS", []string{"com.huawei.hms", "com.huawei.agconnect"}},
	{"FacebookSDK", []string{
		"com.facebook.appevents", "com.facebook.core", "com.facebook.internal", "com.facebook.login", "com.facebook.share",
	}},
	{"ReactNative", []string{"com.facebook.react", "com.facebook.jni", "com.facebook.hermes", "com.facebook.yoga"}},
	{"Flutter", []string{"io.flutter"}},
	{"Unity", []string{"com.unity3d", "bitter.jnibridge"}},
	{"Cordova", []string{"org.apache.cordova"}},
	{"Weex", []string{"com.taobao.weex"}},
	{"JNA", []string{"com.sun.jna"}},
	{"R8", []string{"com.android.tools.r8", "j$"}},
	{"AndroidStudio", []string{"com.android.tools"}},
}

// Library returns the name of the group of libraries that a method's package is in,
// whoever the rules say owns it; empty for none.
func (p *Platform) Library(m name.Method) string {
	if m.Lang != name.JVM || m.Scope == "" {
		return ""
	}
	for i := range libraries {
		for _, parent := range libraries[i].packages {
			if within(m.Scope, parent, ".") {
				return libraries[i].name
			}
		}
	}
	return ""
}

// allLibraries is the rule for all groups of libraries.
const allLibraries = "libraries"

// Groups returns the rules for the groups of libraries, such as @kotlin, that for all of
// them first.
func Groups() []string {
	rules := []string{"@" + allLibraries}
	for i := range libraries {
		rules = append(rules, "@"+strings.ToLower(libraries[i].name))
	}
	return rules
}

// group returns the packages that a rule @NAME is for, whatever its case, and
// whether there is such a group. Every group is in @libraries.
func group(text string) (packages []string, ok bool) {
	for i := range libraries {
		if l := &libraries[i]; strings.EqualFold(text, l.name) || text == allLibraries {
			packages, ok = append(packages, l.packages...), true
		}
	}
	return packages, ok
}
