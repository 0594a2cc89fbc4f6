import java.io.File;
import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.ValidationResult;
import org.apache.pdfbox.preflight.parser.PreflightParser;

/** Validates files as PDF/A-1b by Apache PDFBox. Prints what is wrong with them, and exits with 1 if something is. */
public class Preflight {
  public static void main(String[] paths) throws Exception {
    boolean isValid = true;
    for (String path : paths) {
      PreflightParser parser = new PreflightParser(new File(path));
      parser.parse();
      try (PreflightDocument document = parser.getPreflightDocument()) {
        document.validate();
        ValidationResult result = document.getResult();
        isValid &= result.isValid();
        for (ValidationResult.ValidationError error : result.getErrorsList()) {
          System.out.println(path + ": " + error.getErrorCode() + " " + error.getDetails());
        }
      }
    }
    System.exit(isValid ? 0 : 1);
  }
}
