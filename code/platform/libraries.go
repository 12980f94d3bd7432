package platform

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A library is a group of packages that many apps ship. The names of these packages survive
// obfuscation in most builds.
type library struct {
	name string
	// category is the purpose of the library. See Category.
	category string
	packages []string
	// modules are the library's native libraries, without versions and extensions.
	modules []string
}

// libraries are the known groups. A package belongs to the first group that contains it.
var libraries = []library{
	// These libraries use most of an app's energy according to eprof (Table 4), or are similar to
	// such libraries. They come first, because later groups contain some of their packages.
	{"AdMob", "ads", []string{"com.google.android.gms.ads", "com.google.android.gms.internal.ads", "com.google.ads"}, nil},
	{"AdWhirl", "ads", []string{"com.adwhirl"}, nil},
	{"AppLovin", "ads", []string{"com.applovin"}, nil},
	{"Chartboost", "ads", []string{"com.chartboost"}, nil},
	{"FacebookAds", "ads", []string{"com.facebook.ads"}, nil},
	{"InMobi", "ads", []string{"com.inmobi"}, nil},
	{"ironSource", "ads", []string{"com.ironsource"}, nil},
	{"Millennial", "ads", []string{"com.millennialmedia"}, nil},
	{"MoPub", "ads", []string{"com.mopub"}, nil},
	{"Pangle", "ads", []string{"com.bytedance.sdk.openadsdk", "com.pangle", "com.pgl"}, nil},
	{"StartApp", "ads", []string{"com.startapp"}, nil},
	{"UnityAds", "ads", []string{"com.unity3d.ads", "com.unity3d.services"}, nil},
	{"Vungle", "ads", []string{"com.vungle"}, nil},
	{"Adjust", "analytics", []string{"com.adjust.sdk"}, nil},
	{"Amplitude", "analytics", []string{"com.amplitude"}, nil},
	{"AppsFlyer", "analytics", []string{"com.appsflyer"}, nil},
	{"Branch", "analytics", []string{"io.branch"}, nil},
	{"comScore", "analytics", []string{"com.comscore"}, nil},
	{"Flurry", "analytics", []string{"com.flurry"}, nil},
	{
		"GoogleAnalytics", "analytics",
		[]string{"com.google.android.gms.analytics", "com.google.android.gms.measurement", "com.google.android.apps.analytics", "com.google.firebase.analytics"}, nil,
	},
	{"Localytics", "analytics", []string{"com.localytics"}, nil},
	{"Mixpanel", "analytics", []string{"com.mixpanel"}, nil},
	{"Segment", "analytics", []string{"com.segment.analytics"}, nil},
	{"AsyncHttp", "HTTP", []string{"com.loopj.android.http"}, nil},
	{"BaiduMap", "maps", []string{"com.baidu.location", "com.baidu.mapapi"}, nil},
	{"GoogleMaps", "maps", []string{"com.google.android.gms.maps", "com.google.android.gms.location", "com.google.android.maps", "com.google.maps"}, nil},
	{"HereMaps", "maps", []string{"com.here.android", "com.here.sdk"}, nil},
	{"Mapbox", "maps", []string{"com.mapbox"}, []string{"libmapbox-gl", "libmapbox-maps"}},
	{"MapLibre", "maps", []string{"org.maplibre"}, []string{"libmaplibre"}},
	{"MapQuest", "maps", []string{"com.mapquest"}, nil},
	{"osmdroid", "maps", []string{"org.osmdroid"}, nil},
	{"Skyhook", "maps", []string{"com.skyhookwireless"}, nil},
	{"KotlinJSON", "JSON", []string{"kotlinx.serialization"}, nil},
	{"JSONSmart", "JSON", []string{"net.minidev.json"}, nil},
	// Libraries of apps.
	{"Compose", "interface", []string{"androidx.compose"}, nil},
	{"Room", "database", []string{"androidx.room"}, nil},
	{"WorkManager", "work", []string{"androidx.work"}, nil},
	{"Media3", "media", []string{"androidx.media3", "com.google.android.exoplayer2"}, nil},
	{"androidx", "interface", []string{"androidx", "android.arch", "android.databinding"}, nil},
	{"android.support", "interface", []string{"android.support"}, nil},
	{"Material", "interface", []string{"com.google.android.material"}, nil},
	{"Coroutines", "work", []string{"kotlinx.coroutines"}, nil},
	{"Kotlin", "language", []string{"kotlin", "kotlinx"}, nil},
	{"RxJava", "work", []string{"io.reactivex", "rx", "hu.akarnokd.rxjava", "com.jakewharton.rxbinding", "org.reactivestreams"}, nil},
	{"OkHttp", "HTTP", []string{"okhttp3", "okio", "com.squareup.okhttp", "com.squareup.okio"}, nil},
	{"Retrofit", "HTTP", []string{"retrofit2", "retrofit"}, nil},
	{"Ktor", "HTTP", []string{"io.ktor"}, nil},
	{"Volley", "HTTP", []string{"com.android.volley"}, nil},
	{"Glide", "images", []string{"com.bumptech.glide"}, nil},
	{"Fresco", "images", []string{
		"com.facebook.animated", "com.facebook.binaryresource", "com.facebook.cache", "com.facebook.common",
		"com.facebook.datasource", "com.facebook.drawee", "com.facebook.fresco", "com.facebook.imageformat",
		"com.facebook.imagepipeline", "com.facebook.imageutils", "com.facebook.soloader", "com.facebook.webpsupport",
	}, nil},
	{"Picasso", "images", []string{"com.squareup.picasso"}, nil},
	{"Coil", "images", []string{"coil", "coil3"}, nil},
	{"ImageLoader", "images", []string{"com.nostra13.universalimageloader"}, nil},
	{"DiskLruCache", "database", []string{"com.jakewharton.disklrucache"}, nil},
	{"Lottie", "interface", []string{"com.airbnb.lottie"}, nil},
	{"Gson", "JSON", []string{"com.google.gson"}, nil},
	{"Moshi", "JSON", []string{"com.squareup.moshi"}, nil},
	{"Jackson", "JSON", []string{"com.fasterxml.jackson", "org.codehaus.jackson"}, nil},
	{"fastjson", "JSON", []string{"com.alibaba.fastjson"}, nil},
	{"Protobuf", "serialisation", []string{"com.google.protobuf", "com.squareup.wire", "Google.Protobuf"}, nil},
	{"gRPC", "HTTP", []string{"io.grpc", "Grpc"}, nil},
	{"Guava", "language", []string{"com.google.common", "com.google.thirdparty"}, nil},
	{"Commons", "language", []string{"org.apache.commons"}, nil},
	{"Dagger", "injection", []string{"dagger", "javax.inject", "com.google.dagger"}, nil},
	{"Koin", "injection", []string{"org.koin"}, nil},
	{"ButterKnife", "interface", []string{"butterknife"}, nil},
	{"EventBus", "work", []string{"org.greenrobot.eventbus", "de.greenrobot.event"}, nil},
	{"greenDAO", "database", []string{"org.greenrobot.greendao", "de.greenrobot.dao"}, nil},
	{"Realm", "database", []string{"io.realm"}, nil},
	{"Bolts", "work", []string{"bolts", "com.parse.bolts"}, nil},
	{"Timber", "monitoring", []string{"timber.log"}, nil},
	{"LeakCanary", "monitoring", []string{"leakcanary", "com.squareup.leakcanary", "shark"}, nil},
	{"Stetho", "monitoring", []string{"com.facebook.stetho"}, nil},
	{"Crashlytics", "monitoring", []string{"com.crashlytics", "io.fabric", "com.google.firebase.crashlytics"}, nil},
	{"Sentry", "monitoring", []string{"io.sentry", "Sentry"}, nil},
	{"Bugly", "monitoring", []string{"com.tencent.bugly"}, nil},
	{"Umeng", "analytics", []string{"com.umeng"}, nil},
	{"AMap", "maps", []string{"com.amap", "com.autonavi", "com.loc"}, nil},
	{"Firebase", "services", []string{"com.google.firebase"}, nil},
	{"PlayServices", "services", []string{"com.google.android.gms", "com.google.android.play", "com.android.billingclient"}, nil},
	{"HMS", "services", []string{"com.huawei.hms", "com.huawei.agconnect"}, nil},
	{"FacebookSDK", "analytics", []string{
		"com.facebook.appevents", "com.facebook.core", "com.facebook.internal", "com.facebook.login", "com.facebook.share",
	}, nil},
	{
		"ReactNative", "interface", []string{"com.facebook.react", "com.facebook.jni", "com.facebook.hermes", "com.facebook.yoga"},
		[]string{"libhermes", "libhermes_executor", "libhermesvm", "libjsc", "libreactnative", "libreactnativejni", "libfbjni", "libyoga"},
	},
	{"Flutter", "interface", []string{"io.flutter"}, []string{"libflutter"}},
	{"Unity", "game", []string{"com.unity3d", "bitter.jnibridge"}, []string{"libunity", "libil2cpp", "libmonobdwgc-2.0", "UnityPlayer"}},
	{"Cordova", "interface", []string{"org.apache.cordova"}, nil},
	{"Weex", "interface", []string{"com.taobao.weex"}, nil},
	{"JNA", "language", []string{"com.sun.jna"}, nil},
	{"R8", "language", []string{"com.android.tools.r8", "j$"}, nil},
	{"AndroidStudio", "monitoring", []string{"com.android.tools"}, nil},
	// Libraries of servers.
	{"Scala", "language", []string{"scala"}, nil},
	{"Groovy", "language", []string{"groovy", "groovyjarjarantlr4", "org.apache.groovy", "org.codehaus.groovy"}, nil},
	{"Clojure", "language", []string{"clojure"}, nil},
	{"Rhino", "language", []string{"org.mozilla.javascript"}, nil},
	{"Spring", "server", []string{"org.springframework"}, nil},
	{"Micronaut", "server", []string{"io.micronaut"}, nil},
	{"Quarkus", "server", []string{"io.quarkus"}, nil},
	{"Jakarta", "server", []string{"jakarta", "javax.servlet", "javax.ws", "javax.persistence"}, nil},
	{"Tomcat", "server", []string{"org.apache.catalina", "org.apache.coyote", "org.apache.jasper", "org.apache.tomcat"}, nil},
	{"Jetty", "server", []string{"org.eclipse.jetty"}, nil},
	{"Undertow", "server", []string{"io.undertow"}, nil},
	{"Jersey", "server", []string{"org.glassfish.jersey"}, nil},
	{"Netty", "HTTP", []string{"io.netty"}, []string{"libnetty_transport_native_epoll_x86_64", "libnetty_transport_native_epoll_aarch_64", "libnetty_tcnative_linux_x86_64"}},
	{"Vertx", "server", []string{"io.vertx", "org.vertx"}, nil},
	{"Reactor", "work", []string{"reactor"}, nil},
	{"Akka", "work", []string{"akka", "org.apache.pekko"}, nil},
	{"Kafka", "server", []string{"org.apache.kafka"}, nil},
	{"Hibernate", "database", []string{"org.hibernate"}, nil},
	{"JDBC", "database", []string{"com.mysql", "com.zaxxer.hikari", "org.h2", "org.mariadb.jdbc", "org.postgresql"}, nil},
	{"Redis", "database", []string{"io.lettuce", "redis.clients", "StackExchange.Redis"}, nil},
	{"Lucene", "database", []string{"org.apache.lucene"}, nil},
	{"Avro", "serialisation", []string{"org.apache.avro"}, nil},
	{"ZooKeeper", "server", []string{"org.apache.zookeeper"}, nil},
	{"HttpClient", "HTTP", []string{"org.apache.hc"}, nil},
	{"Logging", "monitoring", []string{"ch.qos.logback", "org.apache.log4j", "org.apache.logging", "org.slf4j", "log4net", "NLog", "Serilog"}, nil},
	{"Metrics", "monitoring", []string{"com.codahale.metrics", "com.yammer.metrics", "io.micrometer", "io.prometheus"}, nil},
	{"OpenTelemetry", "monitoring", []string{"io.opentelemetry", "OpenTelemetry"}, nil},
	{"Compression", "serialisation", []string{"com.github.luben.zstd", "net.jpountz", "org.xerial.snappy"}, []string{"libsnappyjava", "snappy", "libzstd-jni", "liblz4-java"}},
	{"ByteBuddy", "injection", []string{"net.bytebuddy", "net.sf.cglib", "org.objectweb.asm"}, nil},
	// Libraries of .NET.
	{"EntityFramework", "database", []string{"Microsoft.EntityFrameworkCore"}, nil},
	{"ADONET", "database", []string{"Dapper", "Microsoft.Data", "MySqlConnector", "Npgsql", "SQLitePCL"}, nil},
	{"Newtonsoft", "JSON", []string{"Newtonsoft.Json"}, nil},
	{"Swagger", "server", []string{"Microsoft.OpenApi", "NSwag", "Swashbuckle"}, nil},
	// Libraries of scripts, identified by the folders in which packages are installed.
	{"npm", "packages", []string{nodeModules}, nil},
	{"PyPI", "packages", []string{sitePackages}, nil},
}

// Category returns the purpose of a library group, such as "ads", "analytics", "HTTP", "JSON" or
// "maps". It returns "" if there is no such group.
func Category(library string) string {
	for i := range libraries {
		if libraries[i].name == library {
			return libraries[i].category
		}
	}
	return ""
}

// Library returns the library group to which a method's package belongs, or "". For Go, it is the
// module of a dependency. It ignores the user's rules.
func (p *Platform) Library(m name.Method) string {
	separator := "."
	switch m.Lang {
	case name.JVM, name.DotNet:
	case name.JavaScript, name.Python:
		separator = "/"
	case name.Native, name.CPP:
		return libraryOfModule(moduleOf(m))
	case name.Go:
		return p.dependencies[m.Scope]
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

// libraryOfModule returns the group of a native library, or "". The name of the library may end
// with a version.
func libraryOfModule(module string) string {
	for i := range libraries {
		if module != "" && named(libraries[i].modules, module) {
			return libraries[i].name
		}
	}
	return ""
}

// allLibraries is the name of the rule for all groups.
const allLibraries = "libraries"

// Groups returns the rules for library groups, such as @kotlin. The rule for all groups comes
// first.
func Groups() []string {
	rules := []string{"@" + allLibraries}
	for i := range libraries {
		rules = append(rules, "@"+strings.ToLower(libraries[i].name))
	}
	return rules
}

// group returns the packages of the rule @NAME, such as @kotlin in any case. For @libraries, it
// returns those of all groups. ok is false if there is no such group.
func group(text string) (packages []string, ok bool) {
	for i := range libraries {
		if l := &libraries[i]; strings.EqualFold(text, l.name) || text == allLibraries {
			packages, ok = append(append(packages, l.packages...), l.modules...), true
		}
	}
	return packages, ok
}
