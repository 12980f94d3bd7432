package android.os;

/** Stands for Android's class in tests that run on a JVM. */
public class Handler {}
