import type { CsvColumn } from '../bank-statements/parsers/csv.ts';
import { CodedError, type FieldProblems, type Problem } from '../errors/errors.ts';
import { maxErrors, toError, type CsvRow, type RecordError } from './read-file.ts';

/** Collects errors by line and column. */
export class Errors {
  readonly all: RecordError[] = [];
  readonly #columns: ReadonlyMap<string, CsvColumn>;

  constructor(columns: ReadonlyMap<string, CsvColumn>) {
    this.#columns = columns;
  }

  get isFull(): boolean {
    return this.all.length >= maxErrors;
  }

  /** @param field of the record; a field without a column is named by itself */
  add({ line }: CsvRow, field: string, ...problem: Problem): void {
    if (this.isFull) return;
    const column = this.#columns.get(field);
    this.all.push({ ...toError(line, String(column ?? field), problem), field });
  }

  addAll(row: CsvRow, problems: FieldProblems): void {
    for (const [path, ofField] of Object.entries(problems))
      for (const problem of ofField) this.add(row, path, ...problem);
  }

  /** Collects errors of one record. */
  ofRecord(): Errors {
    return new Errors(this.#columns);
  }

  /** @throws RefusedRecord */
  throwIfAny(): void {
    if (this.all.length > 0) throw new RefusedRecord(this.all);
  }

  addRefused({ errors }: RefusedRecord): void {
    this.all.push(...errors.slice(0, maxErrors - this.all.length));
  }
}

/** A record that can't be imported. */
export class RefusedRecord extends CodedError {
  readonly errors: readonly RecordError[];

  constructor(errors: readonly RecordError[]) {
    super('VALIDATION_FAILED', 'The record has errors.');
    this.errors = errors;
  }
}
