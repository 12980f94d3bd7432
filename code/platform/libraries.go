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
	// modules are its native libraries, without versions and extensions.
	modules []string
}

// libraries are the groups that diffprof knows. The first one that a package is in
// is its group.
var libraries = []library{
	{"Compose", []string{"androidx.compose"}, nil},
	{"Room", []string{"androidx.room"}, nil},
	{"WorkManager", []string{"androidx.work"}, nil},
	{"Media3", []string{"androidx.media3", "com.google.android.exoplayer2"}, nil},
	{"androidx", []string{"androidx", "android.arch", "android.databinding"}, nil},
	{"android.support", []string{"android.support"}, nil},
	{"Material", []string{"com.google.android.material"}, nil},
	{"Coroutines", []string{"kotlinx.coroutines"}, nil},
	{"Kotlin", []string{"kotlin", "kotlinx"}, nil},
	{"RxJava", []string{"io.reactivex", "rx", "hu.akarnokd.rxjava", "com.jakewharton.rxbinding", "org.reactivestreams"}, nil},
	{"OkHttp", []string{"okhttp3", "okio", "com.squareup.okhttp", "com.squareup.okio"}, nil},
	{"Retrofit", []string{"retrofit2", "retrofit"}, nil},
	{"Ktor", []string{"io.ktor"}, nil},
	{"Volley", []string{"com.android.volley"}, nil},
	{"Glide", []string{"com.bumptech.glide"}, nil},
	{"Fresco", []string{
		"com.facebook.animated", "com.facebook.binaryresource", "com.facebook.cache", "com.facebook.common",
		"com.facebook.datasource", "com.facebook.drawee", "com.facebook.fresco", "com.facebook.imageformat",
		"com.facebook.imagepipeline", "com.facebook.imageutils", "com.facebook.soloader", "com.facebook.webpsupport",
	}, nil},
	{"Picasso", []string{"com.squareup.picasso"}, nil},
	{"Coil", []string{"coil", "coil3"}, nil},
	{"ImageLoader", []string{"com.nostra13.universalimageloader"}, nil},
	{"DiskLruCache", []string{"com.jakewharton.disklrucache"}, nil},
	{"Lottie", []string{"com.airbnb.lottie"}, nil},
	{"Gson", []string{"com.google.gson"}, nil},
	{"Moshi", []string{"com.squareup.moshi"}, nil},
	{"Jackson", []string{"com.fasterxml.jackson"}, nil},
	{"fastjson", []string{"com.alibaba.fastjson"}, nil},
	{"Protobuf", []string{"com.google.protobuf", "com.squareup.wire"}, nil},
	{"gRPC", []string{"io.grpc"}, nil},
	{"Guava", []string{"com.google.common", "com.google.thirdparty"}, nil},
	{"Commons", []string{"org.apache.commons"}, nil},
	{"Dagger", []string{"dagger", "javax.inject", "com.google.dagger"}, nil},
	{"Koin", []string{"org.koin"}, nil},
	{"ButterKnife", []string{"butterknife"}, nil},
	{"EventBus", []string{"org.greenrobot.eventbus", "de.greenrobot.event"}, nil},
	{"greenDAO", []string{"org.greenrobot.greendao", "de.greenrobot.dao"}, nil},
	{"Realm", []string{"io.realm"}, nil},
	{"Bolts", []string{"bolts", "com.parse.bolts"}, nil},
	{"Timber", []string{"timber.log"}, nil},
	{"LeakCanary", []string{"leakcanary", "com.squareup.leakcanary", "shark"}, nil},
	{"Stetho", []string{"com.facebook.stetho"}, nil},
	{"Crashlytics", []string{"com.crashlytics", "io.fabric", "com.google.firebase.crashlytics"}, nil},
	{"Sentry", []string{"io.sentry"}, nil},
	{"Bugly", []string{"com.tencent.bugly"}, nil},
	{"Umeng", []string{"com.umeng"}, nil},
	{"AMap", []string{"com.amap", "com.autonavi", "com.loc"}, nil},
	{"Firebase", []string{"com.google.firebase"}, nil},
	{"PlayServices", []string{"com.google.android.gms", "com.google.android.play", "com.android.billingclient"}, nil},
	{"HMS", []string{"com.huawei.hms", "com.huawei.agconnect"}, nil},
	{"FacebookSDK", []string{
		"com.facebook.appevents", "com.facebook.core", "com.facebook.internal", "com.facebook.login", "com.facebook.share",
	}, nil},
	{
		"ReactNative", []string{"com.facebook.react", "com.facebook.jni", "com.facebook.hermes", "com.facebook.yoga"},
		[]string{"libhermes", "libhermes_executor", "libhermesvm", "libjsc", "libreactnative", "libreactnativejni", "libfbjni", "libyoga"},
	},
	{"Flutter", []string{"io.flutter"}, []string{"libflutter"}},
	{"Unity", []string{"com.unity3d", "bitter.jnibridge"}, []string{"libunity", "libil2cpp", "libmonobdwgc-2.0", "UnityPlayer"}},
	{"Cordova", []string{"org.apache.cordova"}, nil},
	{"Weex", []string{"com.taobao.weex"}, nil},
	{"JNA", []string{"com.sun.jna"}, nil},
	{"R8", []string{"com.android.tools.r8", "j$"}, nil},
	{"AndroidStudio", []string{"com.android.tools"}, nil},
	// Those of servers.
	{"Scala", []string{"scala"}, nil},
	{"Groovy", []string{"groovy", "groovyjarjarantlr4", "org.apache.groovy", "org.codehaus.groovy"}, nil},
	{"Clojure", []string{"clojure"}, nil},
	{"Rhino", []string{"org.mozilla.javascript"}, nil},
	{"Spring", []string{"org.springframework"}, nil},
	{"Micronaut", []string{"io.micronaut"}, nil},
	{"Quarkus", []string{"io.quarkus"}, nil},
	{"Jakarta", []string{"jakarta", "javax.servlet", "javax.ws", "javax.persistence"}, nil},
	{"Tomcat", []string{"org.apache.catalina", "org.apache.coyote", "org.apache.jasper", "org.apache.tomcat"}, nil},
	{"Jetty", []string{"org.eclipse.jetty"}, nil},
	{"Undertow", []string{"io.undertow"}, nil},
	{"Jersey", []string{"org.glassfish.jersey"}, nil},
	{"Netty", []string{"io.netty"}, []string{"libnetty_transport_native_epoll_x86_64", "libnetty_transport_native_epoll_aarch_64", "libnetty_tcnative_linux_x86_64"}},
	{"Vertx", []string{"io.vertx", "org.vertx"}, nil},
	{"Reactor", []string{"reactor"}, nil},
	{"Akka", []string{"akka", "org.apache.pekko"}, nil},
	{"Kafka", []string{"org.apache.kafka"}, nil},
	{"Hibernate", []string{"org.hibernate"}, nil},
	{"JDBC", []string{"com.mysql", "com.zaxxer.hikari", "org.h2", "org.mariadb.jdbc", "org.postgresql"}, nil},
	{"Redis", []string{"io.lettuce", "redis.clients"}, nil},
	{"Lucene", []string{"org.apache.lucene"}, nil},
	{"Avro", []string{"org.apache.avro"}, nil},
	{"ZooKeeper", []string{"org.apache.zookeeper"}, nil},
	{"HttpClient", []string{"org.apache.hc"}, nil},
	{"Logging", []string{"ch.qos.logback", "org.apache.log4j", "org.apache.logging", "org.slf4j"}, nil},
	{"Metrics", []string{"com.codahale.metrics", "com.yammer.metrics", "io.micrometer", "io.prometheus"}, nil},
	{"OpenTelemetry", []string{"io.opentelemetry"}, nil},
	{"Compression", []string{"com.github.luben.zstd", "net.jpountz", "org.xerial.snappy"}, []string{"libsnappyjava", "snappy", "libzstd-jni", "liblz4-java"}},
	{"ByteBuddy", []string{"net.bytebuddy", "net.sf.cglib", "org.objectweb.asm"}, nil},
	// Those of scripts, by the folders that packages are installed into.
	{"npm", []string{nodeModules}, nil},
	{"PyPI", []string{sitePackages}, nil},
}

// Library returns the name of the group of libraries that a method's package is in,
// whoever the rules say owns it; empty for none.
func (p *Platform) Library(m name.Method) string {
	separator := "."
	switch m.Lang {
	case name.JVM:
	case name.JavaScript, name.Python:
		separator = "/"
	case name.Native, name.CPP:
		return libraryOfModule(moduleOf(m))
	default:
		return ""
	}
	at := scope(m)
	if at == "" {
		return ""
	}
	for i := range libraries {
		for _, parent := range libraries[i].packages {
			if within(at, parent, separator) {
				return libraries[i].name
			}
		}
	}
	return ""
}

// libraryOfModule is the group that a native library is in, empty for none. A version may
// follow the name.
func libraryOfModule(module string) string {
	for i := range libraries {
		if module != "" && named(libraries[i].modules, module) {
			return libraries[i].name
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
			packages, ok = append(append(packages, l.packages...), l.modules...), true
		}
	}
	return packages, ok
}
