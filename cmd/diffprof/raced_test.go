//go:build race

package main

// raced is true if the tests run with the race detector.
const raced = true
