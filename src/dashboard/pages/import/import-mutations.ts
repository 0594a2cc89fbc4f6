import type { Client, OperationResult } from 'urql';
import { graphql, type EnumOf, type FragmentOf } from '../../graphql.ts';
import type { Records } from './records.ts';

export const ImportResult = graphql(`
  fragment ImportResult on RecordImport {
    imported
    skipped
    leftOut
    errors {
      line
      column
      code
      message
      params
    }
    preview {
      line
      cells {
        field
        text
      }
    }
  }
`);
export type Result = FragmentOf<typeof ImportResult>;

const ImportCustomers = graphql(
  `
    mutation ImportCustomers(
      $file: Upload!
      $preset: ImportPreset
      $columns: CustomerColumnsInput
      $defaults: CustomerColumnsInput
      $format: CsvFormatInput
      $dryRun: Boolean
      $progressId: String
    ) {
      result: importCustomers(
        file: $file
        preset: $preset
        columns: $columns
        defaults: $defaults
        format: $format
        dryRun: $dryRun
        progressId: $progressId
      ) {
        ...ImportResult
      }
    }
  `,
  [ImportResult],
);

const ImportProjects = graphql(
  `
    mutation ImportProjects(
      $file: Upload!
      $preset: ImportPreset
      $columns: ProjectColumnsInput
      $defaults: ProjectColumnsInput
      $format: CsvFormatInput
      $dryRun: Boolean
      $progressId: String
    ) {
      result: importProjects(
        file: $file
        preset: $preset
        columns: $columns
        defaults: $defaults
        format: $format
        dryRun: $dryRun
        progressId: $progressId
      ) {
        ...ImportResult
      }
    }
  `,
  [ImportResult],
);

const ImportInvoices = graphql(
  `
    mutation ImportInvoices(
      $file: Upload!
      $preset: ImportPreset
      $columns: InvoiceColumnsInput
      $defaults: InvoiceColumnsInput
      $format: CsvFormatInput
      $dryRun: Boolean
      $progressId: String
    ) {
      result: importInvoices(
        file: $file
        preset: $preset
        columns: $columns
        defaults: $defaults
        format: $format
        dryRun: $dryRun
        progressId: $progressId
      ) {
        ...ImportResult
      }
    }
  `,
  [ImportResult],
);

const ImportReceipts = graphql(
  `
    mutation ImportReceipts(
      $file: Upload!
      $preset: ImportPreset
      $columns: ReceiptColumnsInput
      $defaults: ReceiptColumnsInput
      $format: CsvFormatInput
      $dryRun: Boolean
      $progressId: String
    ) {
      result: importReceipts(
        file: $file
        preset: $preset
        columns: $columns
        defaults: $defaults
        format: $format
        dryRun: $dryRun
        progressId: $progressId
      ) {
        ...ImportResult
      }
    }
  `,
  [ImportResult],
);

const ImportTimeEntries = graphql(
  `
    mutation ImportTimeEntries(
      $file: Upload!
      $preset: ImportPreset
      $columns: TimeEntryColumnsInput
      $defaults: TimeEntryColumnsInput
      $format: CsvFormatInput
      $dryRun: Boolean
      $progressId: String
    ) {
      result: importTimeEntries(
        file: $file
        preset: $preset
        columns: $columns
        defaults: $defaults
        format: $format
        dryRun: $dryRun
        progressId: $progressId
      ) {
        ...ImportResult
      }
    }
  `,
  [ImportResult],
);

export interface ImportVariables {
  file: File;
  preset: EnumOf<'ImportPreset'> | null;
  columns: Record<string, string>;
  defaults: Record<string, string>;
  format: {
    dateFormat: string | null;
    decimalSeparator: string | null;
    delimiter: string | null;
    encoding: string | null;
  };
  dryRun: boolean;
  progressId: string;
}

type Run = (
  client: Client,
  variables: ImportVariables,
  context: { fetch: typeof fetch },
) => Promise<OperationResult<{ result: Result }>>;

/** The import of each kind of records. */
export const imports: Record<Records, Run> = {
  CUSTOMER: (client, ...args) => client.mutation(ImportCustomers, ...args).toPromise(),
  PROJECT: (client, ...args) => client.mutation(ImportProjects, ...args).toPromise(),
  INVOICE: (client, ...args) => client.mutation(ImportInvoices, ...args).toPromise(),
  RECEIPT: (client, ...args) => client.mutation(ImportReceipts, ...args).toPromise(),
  TIME_ENTRY: (client, ...args) => client.mutation(ImportTimeEntries, ...args).toPromise(),
};
