package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// hasSpark reports whether make deps has fetched all libraries of Spark, and whether Java is
// installed to run them.
var hasSpark = sync.OnceValue(func() bool {
	sums, err := os.ReadFile("testdata/spark/SHA256SUMS")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(sums)) {
		fields := strings.Fields(line)
		content, err := os.ReadFile(filepath.Join(sparkHome(), "jars", fields[1]))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(content)) != fields[0] {
			return false
		}
	}
	_, err = exec.LookPath("java")
	return err == nil
})

func sparkHome() string {
	home, err := filepath.Abs("../../.cache/spark")
	if err != nil {
		return "" // There is no working directory.
	}
	return home
}

// A cluster is a Spark with two workers. It starts with the first statement and ends with the
// script. It also ends when this process ends, because its standard input then ends.
type cluster struct {
	in  io.WriteCloser
	out *bufio.Scanner
	log bytes.Buffer
}

// clusters are the clusters of the running scripts.
var clusters sync.Map

// runSpark implements spark FILE... It runs the statements in the files one after the other.
func runSpark(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: spark FILE...")
	}
	known, ok := clusters.Load(ts)
	if !ok {
		known = startSpark(ts)
		clusters.Store(ts, known)
	}
	c := known.(*cluster)
	for _, file := range args {
		_, err := io.WriteString(c.in, ts.MkAbs(file)+"\n")
		ts.Check(err)
		if !c.out.Scan() {
			ts.Fatalf("Spark ended:\n%s", c.log.String())
		}
	}
}

func startSpark(ts *testscript.TestScript) *cluster {
	const small = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
	args := append(strings.Fields(small), "-Xmx700m")
	for _, p := range strings.Fields("java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar") {
		args = append(args, "--add-opens=java.base/"+p+"=ALL-UNNAMED")
	}
	for _, setting := range []string{
		"master=local-cluster[2,1,1024]", "app.name=diffprof", "driver.host=127.0.0.1", "driver.bindAddress=127.0.0.1",
		"ui.enabled=false", "log.level=WARN", "executor.extraJavaOptions=" + small,
		// With three partitions, sums must be added up.
		"sql.catalogImplementation=in-memory", "sql.adaptive.enabled=false", "sql.shuffle.partitions=3",
	} {
		args = append(args, "-Dspark."+setting)
	}
	source, err := filepath.Abs("testdata/spark/Statements.java")
	ts.Check(err)
	args = append(args, "-Djava.io.tmpdir="+ts.MkAbs(".tmp"), "-cp", filepath.Join(sparkHome(), "jars", "*"), source)
	ts.Check(os.MkdirAll(ts.MkAbs(".tmp"), 0o777))
	cmd := exec.Command("java", args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "SPARK_HOME="+sparkHome(), "SPARK_LOCAL_IP=127.0.0.1", "SPARK_SCALA_VERSION=2.13", "GORACE=atexit_sleep_ms=0")
	c := &cluster{}
	cmd.Stderr = &c.log
	c.in, err = cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	c.out = bufio.NewScanner(out)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		clusters.Delete(ts)
		_ = c.in.Close()
		_ = cmd.Wait() // the test ended it, so its exit code says nothing
	})
	return c
}

// sparkCondition implements the condition [spark] of scripts. It is false with -short, because
// Spark takes half of the time of all scripts.
func sparkCondition(t *testing.T) func(string) (bool, error) {
	return func(name string) (bool, error) {
		if name != "spark" {
			t.Fatalf("there is no condition %s", name)
		}
		return hasSpark() && !testing.Short(), nil
	}
}
