// Package platform says what a method is to the system that runs it: whose code it
// is, whether it leads a thread to its work, and what its class extends.
//
// # Owners
//
// The framework is what an app finds where it runs: Android's own classes, the
// standard library of a language and the internals of its runtime. All else is the
// app's, also the libraries that ship inside an app.
//
// A method's scope decides: a package of Java or Go, a crate of Rust, a namespace of
// .NET. In JavaScript, which has none, the module does. The user's rules come first,
// and the most specific rule wins (see [New]). Then come the tables of the platforms
// that run the method's language. Code that nothing names is the app's.
//
// A method without scope and type is whose its caller is, but for native code of a file that
// tells: the kernel's and the system's libraries are the framework's, files in folders of
// apps the app's.
//
// # Android and the JVM
//
// The class table lists the packages of several Android versions and of one JDK. A
// package that it does not list is framework if it lies under a parent that only
// the platform uses:
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
// So the framework of a vendor or of a later version is not taken for the app. An
// app in android.example or java.mycompany is an app: a second part that Android
// never had tells it. The rest of javax is shared with libraries (javax.inject,
// javax.mail) and the rest of com.android with apps and libraries (com.android.volley),
// so there the table alone decides.
//
// # Libraries and own code
//
// Libraries that apps ship (androidx, Kotlin, OkHttp) are the app's, and named groups:
// [Platform.Library]. What of the app is its own code in a run is told by the user's
// rules, by the app's manifest and sources, by its mapping file, or by what is in no
// group of libraries: [Platform.Ownership]. Nothing tells it where a recording leaves packages
// out: [Platform.Unpackaged].
//
// # Other platforms
//
// The framework is the standard library of Go, the crates std, core and alloc of
// Rust, the class library of .NET with ASP.NET, the modules node:* of Node, and the
// standard library of Python. [Platform.Running] tells a JDK from Android by what ran.
//
// # Waiting
//
// [Platform.Waits] names the methods that do nothing but wait.
//
// # Roles
//
// What the recorder did is told from what it recorded by the role of its methods.
//
// Some framework methods only lead a thread to its work. [Platform.Role] names
// them, so that two runs whose threads were started in different ways can be
// compared from where the work begins. docs/preprocessing.md gives the reason for
// each and says in which real traces it occurs.
package platform
