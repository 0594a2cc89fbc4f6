import type { CsvColumn } from '../bank-statements/parsers/csv.ts';
import type { Problems } from '../errors.ts';
import { maxErrors, type CsvRow, type RecordError } from './read-file.ts';

/** Collects errors by line and column. */
export class Errors {
  readonly all: RecordError[] = [];
  readonly #columns: ReadonlyMap<string, CsvColumn>;

  constructor(columns: ReadonlyMap<string, CsvColumn>) {
    this.#columns = columns;
  }

  /** @param field of the record; a field without a column is named by itself */
  add({ line }: CsvRow, field: string, message: string): void {
    if (this.all.length === maxErrors) return;
    const column = this.#columns.get(field);
    this.all.push({ line, column: String(column ?? field), message });
  }

  addAll(row: CsvRow, problems: Problems): void {
    for (const [path, messages] of Object.entries(problems.errors))
      for (const message of messages) this.add(row, path, message);
  }
}
