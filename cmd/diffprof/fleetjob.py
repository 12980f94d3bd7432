"""Analyzes the battery samples of a fleet with diffprof on Spark 3.5 or 4.

diffprof fleet submit wrote this job. It runs all stages and writes the file that diffprof fleet analyze
would write, byte for byte. The workers need neither diffprof nor other packages: spark-submit --files ships
the program. The samples are shuffled once, by client. Without an RDD interface (Databricks, Spark Connect),
the job uses mapInPandas.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import threading

SETTINGS = json.loads(@SETTINGS@)
STAGES = SETTINGS["stages"]
WIDTH = SETTINGS["width"]
PARTITION = 32 << 20  # bytes of input per partition


def arguments():
    parser = argparse.ArgumentParser(description="analyze the battery samples of a fleet with diffprof")
    add = parser.add_argument
    add("--from", dest="source", default=SETTINGS["from"], help="a path or, for --format table, a table with the samples")
    add("--format", default=SETTINGS["format"], help="parquet, csv, json, orc, delta or table")
    add("--query", default="", help="a query on the view samples, which shapes the columns")
    add("--to", default=SETTINGS["to"], help="write the fleet to this path, local or of the cluster's store")
    add("--program", default=SETTINGS["program"], help="the name of diffprof in --files, or its path on all machines")
    add("--partitions", type=int, default=0, help="the number of partitions; by default from the size of the input")
    add("--pandas", action="store_true", help="use mapInPandas, also where RDDs exist")
    return parser.parse_args()


def quoted(name):
    """Returns the name of a column as an entry of --columns."""
    if any(c in name for c in ',"\r\n') or name != name.lstrip():
        return '"' + name.replace('"', '""') + '"'
    return name


def shipped(name):
    """Returns the path of a file that spark-submit --files shipped, or the path itself."""
    found = [name, os.path.join(os.getcwd(), os.path.basename(name))]
    try:
        from pyspark import SparkFiles

        found.append(SparkFiles.get(os.path.basename(name)))
    except Exception:  # Spark Connect has no SparkFiles.
        pass
    for path in found:
        if os.path.isfile(path):
            return os.path.abspath(path)
    raise FileNotFoundError(f"{name} is not on this machine: give it to spark-submit with --files, or its path with --program")


def executable(name, folder):
    """Returns the path of the program. It copies a program that must not be run where it is."""
    path = shipped(name)
    if os.access(path, os.X_OK):
        return path
    copied = os.path.join(folder, "diffprof")
    shutil.copyfile(path, copied)
    os.chmod(copied, 0o700)
    return copied


def command(program, words, files, folder):
    """Returns a command line of diffprof. files has the contents of files by flag."""
    line = [executable(program, folder), "fleet"] + words
    for flag, content in files.items():
        path = os.path.join(folder, flag.strip("-"))
        with open(path, "wb") as out:
            os.chmod(path, 0o600)
            out.write(content)
        line += [flag, path]
    return line


def partial(program, words, files):
    """Returns a function from the lines of some clients to lines with their sums."""

    def run(lines):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
            job = subprocess.Popen(
                command(program, ["partial"] + words, files, folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=folder
            )
            failed = []

            def feed():
                try:
                    for line in lines:
                        job.stdin.write(line.encode() + b"\n")
                    job.stdin.close()
                except BrokenPipeError:
                    pass  # The program ended with an error, which is raised below.
                except Exception as e:
                    failed.append(e)
                    job.kill()

            feeder = threading.Thread(target=feed, daemon=True)
            feeder.start()
            try:
                for line in job.stdout:
                    yield line.decode().rstrip("\n")
                feeder.join()
                if job.wait() != 0 or failed:
                    errors.seek(0)
                    raise failed[0] if failed else RuntimeError("diffprof fleet partial: " + errors.read().decode(errors="replace")[-4000:])
            finally:
                if job.poll() is None:
                    job.kill()
                    job.wait()

    return run


def in_pandas(run):
    """Returns run as a function for mapInPandas."""

    def over(frames):
        import pandas

        lines = []
        for line in run(line for frame in frames for line in frame["line"]):
            lines.append(line)
            if len(lines) == 10000:
                yield pandas.DataFrame({"line": lines})
                lines = []
        yield pandas.DataFrame({"line": lines}, dtype=str)

    return over


def texts(frame):
    """Returns the expression of a sample's line, with tabs between the columns."""
    parts = []
    for name, kind in frame.dtypes:
        column = "`" + name.replace("`", "``") + "`"
        if kind == "array<string>":
            column = f"concat('\\u001F', array_join({column}, '\\u001F', ''))"
        elif kind.startswith(("array", "struct", "map")):
            column = f"to_json({column})"
        else:
            column = f"CAST({column} AS STRING)"
        parts.append(f"coalesce(regexp_replace({column}, '[\\\\t\\\\n\\\\r]', ' '), '\\\\N')")
    return "concat_ws('\\t', " + ", ".join(parts) + ")"


def size(frame):
    """Returns the size of the input in bytes, or 0 if it is not known."""
    try:
        return int(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes().toString())
    except Exception:  # Spark Connect does not provide this.
        return 0


def write(spark, path, target):
    """Writes a file of this machine to a path of the cluster's store, or of this machine."""
    if "://" not in target:
        shutil.copyfile(path, target)
        return
    jvm = spark._jvm.org.apache.hadoop.fs
    to = jvm.Path(target)
    system = to.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    system.copyFromLocalFile(False, True, jvm.Path("file://" + path), to)


def main():
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    args = arguments()
    if not args.source or not args.to:
        raise SystemExit("give the samples with --from, and the file to write with --to")
    spark = SparkSession.builder.appName("diffprof fleet").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    if args.format == "table":
        frame = spark.table(args.source)
    elif args.format == "csv":
        frame = spark.read.option("header", True).option("escape", '"').csv(args.source)
    else:
        frame = spark.read.format(args.format).load(args.source)
    if args.query:
        frame.createOrReplaceTempView("samples")
        frame = spark.sql(args.query)
    try:
        context = None if args.pandas else spark.sparkContext
    except Exception:  # Spark Connect has no context.
        context = None

    with tempfile.TemporaryDirectory() as folder:
        given = {}
        for flag, name in SETTINGS["files"].items():
            with open(shipped(name), "rb") as file:
                given[flag] = file.read()
        columns = ["--columns", ",".join(map(quoted, frame.columns))]
        layout = command(args.program, ["submit", "--layout"] + columns + SETTINGS["input"], given, folder)
        client = json.loads(subprocess.run(layout, check=True, stdout=subprocess.PIPE).stdout)["client"]
        partitions = args.partitions
        if partitions <= 0:
            least = context.defaultParallelism if context else 1
            partitions = max(least, -(-size(frame) // PARTITION)) if size(frame) else 0
        name = F.col("`" + client.replace("`", "``") + "`").cast("string")
        lines = frame.select(F.expr(texts(frame)).alias("line"), name.alias("client"))
        lines = lines.repartition(partitions, "client") if partitions else lines.repartition("client")
        lines = lines.select("line")
        try:
            from pyspark import StorageLevel

            lines = lines.persist(StorageLevel.DISK_ONLY)
        except Exception:
            pass  # Without a store, each stage reads the samples again.

        state = None
        for number, stage in enumerate(STAGES):
            words = ["--stage", stage] + columns + SETTINGS["input"] + (SETTINGS["judge"] if state is None else [])
            files = dict(given)
            if state is not None:
                with open(state, "rb") as file:
                    files["--state"] = file.read()
            run = partial(args.program, words, files)
            if context:
                made = spark.createDataFrame(lines.rdd.mapPartitions(lambda rows, run=run: ((line,) for line in run(row[0] for row in rows))), "line string")
            else:
                made = lines.mapInPandas(in_pandas(run), "line string")
            fields = F.split(F.col("line"), "\t")
            rows = made.select(fields[0].alias("key"), *[fields[i + 1].cast("decimal(38,0)").alias(f"s{i}") for i in range(WIDTH)])
            rows = rows.groupBy("key").agg(*[F.sum(f"s{i}").cast("string").alias(f"s{i}") for i in range(WIDTH)])

            after = os.path.join(folder, f"state{number}")
            merge = [executable(args.program, folder), "fleet", "merge", "-o", after] + (["--state", state] if state else []) + ["-"]
            job = subprocess.Popen(merge, stdin=subprocess.PIPE)
            for row in rows.toLocalIterator():
                job.stdin.write("\t".join(row).encode() + b"\n")
            job.stdin.close()
            if job.wait() != 0:
                raise SystemExit("diffprof fleet merge failed: its message is above")
            state = after
        write(spark, state, args.to)
    print("wrote", args.to)
    spark.stop()


if __name__ == "__main__":
    main()
