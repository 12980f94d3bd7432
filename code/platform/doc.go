// Package platform classifies methods: who owns the code, whether it leads a thread to its
// work, and what its class extends.
//
// # Owners
//
// The framework is the code that an app finds on its device: Android's own classes, the
// standard library of a language and the internals of its runtime. All other code belongs to
// the app, including the libraries that an app ships.
//
// A method's scope decides: a package of Java or Go, a crate of Rust, a namespace of .NET. In
// JavaScript, which has no scopes, the module decides. The user's rules come first, and the
// most specific rule wins (see [New]). Then come the tables of the platforms that run the
// method's language. Code in no table belongs to the app.
//
// A method without scope and type has the owner of its caller, unless its native file decides:
// the kernel's and the system's libraries are framework, and files in the folders of apps
// belong to the app.
//
// # Android and the JVM
//
// The class table lists the packages of several Android versions and of one JDK. A package that
// it does not list is framework if it is below a parent that only the platform uses:
//
//	android.X.*     for each X that some version of Android has, or a vendor adds
//	java.X.*        for each X of some version of the JDK
//	com.android.X.* for X in i18n, icu, ims, internal, okhttp, org, server, webview
//	dalvik.*, jdk.*, libcore.*, org.chromium.*, sun.*
//	javax.X.*       for each X that only the JDK has;
//	                except javax.xml.bind, javax.xml.soap, javax.xml.ws
//	com.sun.X.*     for each X of the JDK
//	org.apache.http.* except org.apache.http.entity.mime
//	com.htc.*, com.samsung.android.* and other vendors', except those of their apps
//
// So the framework of a vendor or of a later version does not count as the app. An app in
// android.example or java.mycompany is an app, because Android never had that second part.
// Libraries share the rest of javax (javax.inject, javax.mail), and apps and libraries the rest
// of com.android (com.android.volley), so the table alone decides there.
//
// # Libraries and own code
//
// Libraries that apps ship (androidx, Kotlin, OkHttp) belong to the app, in named groups:
// [Platform.Library]. The app's own code in a run is determined by the user's rules, by the
// app's manifest and sources, by its mapping file, or by the absence of a library group:
// [Platform.Ownership]. It cannot be determined if a recording omits packages:
// [Platform.Unpackaged].
//
// # Other platforms
//
// The framework is the standard library of Go, the crates std, core and alloc of Rust, the
// class library of .NET with ASP.NET, the modules node:* of Node, and the standard library of
// Python. [Platform.Running] distinguishes a JDK from Android by the methods that ran.
//
// # Waiting
//
// [Platform.Waits] recognizes methods that only wait.
//
// # Roles
//
// The role of a method separates the work of the recorder from the recorded work.
//
// Some framework methods only lead a thread to its work. [Platform.Role] recognizes them, so
// that two runs with differently started threads can be compared from where the work begins.
// docs/preprocessing.md gives the reason for each, and the real traces that contain it.
package platform
