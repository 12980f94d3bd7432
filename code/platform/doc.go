// Package platform classifies methods: who owns their code, whether they only lead a thread to its
// work, and which supertypes their class has.
//
// # Owners
//
// The framework is the code that an app finds on its device: Android's own classes, the standard
// library of a language, and the internals of a runtime. All other code belongs to the app,
// including the libraries that an app ships.
//
// The scope of a method determines its owner. A scope is a package of Java or Go, a crate of Rust,
// or a namespace of .NET. JavaScript has no scopes, so the module determines the owner. The user's
// rules come first, and the most specific of them decides (see [New]). Next come the tables of the
// platforms for the method's language. Code that is in no table belongs to the app.
//
// A method without scope and type has the owner of its caller, unless its native file decides. The
// kernel and the system's libraries are framework. Files in the folders of apps belong to the app.
//
// # Android and the JVM
//
// The class table lists the packages of several Android versions and of one JDK. A package that is
// not in the class table is framework if it is below a parent that only the platform uses:
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
// So code of a vendor or of a later Android version does not count as the app's code. Code in
// android.example or java.mycompany counts as the app's code, because the platform never had these
// second parts. Libraries use other parts of javax (javax.inject, javax.mail), and apps and
// libraries use other parts of com.android (com.android.volley). For these parts, only the class
// table decides.
//
// # Libraries and own code
//
// Libraries that apps ship (androidx, Kotlin, OkHttp) belong to the app. [Platform.Library] returns
// their group. [Platform.Ownership] finds the app's own code in a run. It uses the user's rules,
// the app's manifest and sources, its mapping file, and the groups of libraries. It cannot find the
// own code if a recording omits packages: [Platform.Unpackaged].
//
// # Other platforms
//
// The framework of Go, Rust and Python is the standard library. In Rust, this is the crates std,
// core and alloc. The framework of .NET is its class library with ASP.NET, and the framework of
// Node is the modules node:*. [Platform.Running] distinguishes a JDK from Android by the methods in
// a run.
//
// # Waiting
//
// [Platform.Waits] recognizes methods that only wait.
//
// # Roles
//
// [Platform.Role] recognizes methods that have a special part in a run. Many of them are framework
// methods that only lead a thread to its work, such as Thread.run. Without them, two runs can be
// compared from the point where the work begins, even if their threads were started differently.
// Other roles mark the work of the recorder, and code of compilers and runtimes.
// docs/preprocessing.md describes these methods.
package platform
