import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.ValidationResult;
import org.apache.pdfbox.preflight.parser.PreflightParser;

/** Validates files as PDF/A-1b by Apache PDFBox: reads a path, prints what is wrong, and then whether the file is valid. */
public class Preflight {
  public static void main(String[] none) throws Exception {
    BufferedReader paths = new BufferedReader(new InputStreamReader(System.in));
    for (String path = paths.readLine(); path != null; path = paths.readLine()) {
      PreflightParser parser = new PreflightParser(new File(path));
      parser.parse();
      try (PreflightDocument document = parser.getPreflightDocument()) {
        document.validate();
        ValidationResult result = document.getResult();
        for (ValidationResult.ValidationError error : result.getErrorsList()) {
          System.out.println(error.getErrorCode() + " " + error.getDetails());
        }
        System.out.println(result.isValid() ? "valid" : "invalid");
      }
    }
  }
}
