import { send } from '../bank/statement.ts';
import type { Answer, Integrator, Service } from '../harness.ts';

// Imports of another system's records.

export type Kind = 'Customer' | 'Project' | 'Invoice' | 'Receipt' | 'TimeEntry';
const plural = (kind: Kind): string => (kind === 'TimeEntry' ? 'TimeEntries' : `${kind}s`);

export interface Options {
  preset?: string;
  columns?: Record<string, string>;
  defaults?: Record<string, string>;
  format?: Record<string, unknown>;
  dryRun?: boolean;
  progressId?: string;
}

/** The answer to the upload of a CSV file. */
export function uploadRecords(
  service: Pick<Service, 'url'>,
  { token }: Pick<Integrator, 'token'>,
  kind: Kind,
  csv: string | Uint8Array<ArrayBuffer>,
  options: Options,
  selected = '',
): Promise<Answer> {
  const query = `mutation ($file: Upload!, $preset: ImportPreset, $columns: ${kind}ColumnsInput, $defaults: ${kind}ColumnsInput, $format: CsvFormatInput, $dryRun: Boolean, $progressId: String) {
    result: import${plural(kind)}(file: $file, preset: $preset, columns: $columns, defaults: $defaults, format: $format, dryRun: $dryRun, progressId: $progressId) {
      imported skipped leftOut errors { line column message } ${selected}
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
  leftOut: number;
  errors: { line: number | null; column: string | null; message: string }[];
}

interface PreviewRow {
  line: number;
  cells: { field: string; text: string }[];
}

/** The result where the upload is accepted. */
export async function importRecords(...args: Parameters<typeof uploadRecords>): Promise<Result> {
  const { body, text } = await uploadRecords(...args);
  if (!body || body.errors) throw new Error(text);
  return body.data.result;
}

/** The first rows, as they are read. */
export async function previewRecords(
  ...[service, who, kind, csv, options]: Parameters<typeof uploadRecords>
): Promise<PreviewRow[]> {
  const { body } = await uploadRecords(service, who, kind, csv, options, 'preview { line cells { field text } }');
  return body.data.result.preview;
}
