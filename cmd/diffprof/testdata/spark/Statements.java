import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Runs the statements in each file that standard input names, and answers a line. */
class Statements {
	public static void main(String[] args) throws Exception {
		var in = new BufferedReader(new InputStreamReader(System.in));
		try (var spark = SparkSession.builder().getOrCreate()) {
			for (String file; (file = in.readLine()) != null; System.out.println("done")) {
				for (String statement : Files.readString(Path.of(file)).strip().split(";\\s*(\n|$)")) {
					spark.sql(statement);
				}
			}
		}
	}
}
