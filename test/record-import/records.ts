import { send } from '../bank/statement.ts';
import type { Answer, Integrator, Service } from '../harness.ts';

// Imports of another system's records.

export type Kind = 'Customer' | 'Project' | 'Invoice' | 'Receipt' | 'TimeEntry';
const plural = (kind: Kind): string => (kind === 'TimeEntry' ? 'TimeEntries' : `${kind}s`);

export interface Options {
  columns: Record<string, string>;
  defaults?: Record<string, string>;
  format?: Record<string, unknown>;
  dryRun?: boolean;
}

/** The answer to the upload of a CSV file. */
export function uploadRecords(
  service: Pick<Service, 'url'>,
  { token }: Pick<Integrator, 'token'>,
  kind: Kind,
  csv: string | Uint8Array<ArrayBuffer>,
  options: Options,
): Promise<Answer> {
  const query = `mutation ($file: Upload!, $columns: ${kind}ColumnsInput!, $defaults: ${kind}ColumnsInput, $format: CsvFormatInput, $dryRun: Boolean) {
    result: import${plural(kind)}(file: $file, columns: $columns, defaults: $defaults, format: $format, dryRun: $dryRun) {
      imported skipped errors { line column message }
    }
  }`;
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables: { file: null, ...options } }));
  form.append('map', JSON.stringify({ csv: ['variables.file'] }));
  form.append('csv', new Blob([csv]), 'records.csv');
  return send(service, form, { authorization: `Bearer ${token}` });
}

export interface Result {
  imported: number;
  skipped: number;
  errors: { line: number | null; column: string | null; message: string }[];
}

/** The result where the upload is accepted. */
export async function importRecords(...args: Parameters<typeof uploadRecords>): Promise<Result> {
  const { body, text } = await uploadRecords(...args);
  if (!body || body.errors) throw new Error(text);
  return body.data.result;
}
