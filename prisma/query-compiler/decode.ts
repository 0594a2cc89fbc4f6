import type { Decode } from './values.ts';

/** A field of Prisma's row: its index in PostgreSQL's row, and how it is decoded. */
export type Field =
  | { is: 'value'; name: string; at: number; decode: Decode | undefined }
  /** A related row, whose columns are among this row's. Null where the column `at`, which is never null, is null. */
  | { is: 'row'; name: string; at: number; fields: Field[] }
  /** Related rows: a JSON array of arrays, as text or nested in JSON. Null where there are none. */
  | { is: 'rows'; name: string; at: number; fields: Field[]; isText: boolean };

export type Raw = unknown[];

/**
 * The function that turns PostgreSQL's row into Prisma's. Its code is generated, so that V8 gives all rows the same hidden
 * class: that is faster than a loop over the fields. The code holds only names of the data model.
 */
export function buildDecoder(fields: Field[]): (row: Raw) => object {
  const helpers: unknown[] = [];
  const body = literal(fields, helpers);
  // eslint-disable-next-line no-new-func, typescript/no-implied-eval
  return new Function(...helpers.map((_, at) => `f${at}`), `return (r) => (${body})`)(...helpers) as (
    row: Raw,
  ) => object;
}

const literal = (fields: Field[], helpers: unknown[]): string =>
  `{ ${fields.map((field) => `${JSON.stringify(field.name)}: ${expression(field, helpers)}`).join(', ')} }`;

function expression(field: Field, helpers: unknown[]): string {
  const raw = `r[${field.at}]`;
  switch (field.is) {
    case 'value':
      return field.decode ? `${raw} === null ? null : f${helpers.push(field.decode) - 1}(${raw})` : raw;
    case 'row':
      return `${raw} === null ? null : ${literal(field.fields, helpers)}`;
    case 'rows': {
      const decode = `f${helpers.push(buildDecoder(field.fields)) - 1}`;
      return `${raw} === null ? [] : ${field.isText ? `JSON.parse(${raw})` : raw}.map(${decode})`;
    }
  }
}
