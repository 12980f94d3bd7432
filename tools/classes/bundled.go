package main

import (
	"slices"
	"strings"
)

// bundledParents are packages in the jars that are not framework for an app, with all packages
// below them. An app that uses such a library ships a copy of its own, whose work belongs to the
// app. The list does not apply to copies that the platform renamed into its own packages, such as
// com.android.wifi.x.com.google.protobuf.
var bundledParents = []string{
	// Libraries that apps ship.
	"android.arch", "android.support", "androidx",
	"com.google.android.gms", "com.google.android.material",
	"kotlin", "kotlinx",

	// Libraries of the system services. They are in the jar of these services, and not on the class
	// path of an app.
	"co.nstant", "com.github", "com.google.security", "com.ibm.icu",
	"org.apache.commons", "org.brotli", "org.tukaani",

	// Tests, and tools that made the jars.
	"junit", "org.junit", "org.robolectric",

	// System apps. The jars have a few of their classes, which define flags. Developers who profile
	// a launcher built from Android's sources want it to be an app.
	"com.android.launcher3", "com.android.providers", "com.android.settings",
	"com.android.settingslib", "com.android.systemui",
	"com.google.android.apps", "com.google.android.clockwork", "com.google.android.wearable",

	// Developer tools of a JDK, a third of its classes. They do not run inside a program under
	// test.
	"com.sun.tools", "jdk.javadoc", "jdk.jshell", "jdk.tools", "org.graalvm", "sun.jvm", "sun.tools",
}

// bundledPackages are packages like bundledParents, but without the packages below them. The
// annotations of JSR 305 have the same parent package as javax.annotation.processing of the JDK.
var bundledPackages = []string{"javax.annotation", "javax.annotation.concurrent", "javax.annotation.meta"}

func bundled(pkg string) bool {
	return slices.Contains(bundledPackages, pkg) || slices.ContainsFunc(bundledParents, func(parent string) bool {
		return pkg == parent || strings.HasPrefix(pkg, parent) && pkg[len(parent)] == '.'
	})
}
