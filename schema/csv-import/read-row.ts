import { isInputObjectType, type GraphQLInputField, type GraphQLSchema } from 'graphql';
import type { NewRow } from '../../prisma/client.ts';
import { amountReader, dayReader } from '../bank-statements/parsers/csv-values.ts';
import { StatementError } from '../bank-statements/parsers/transaction.ts';
import { Problems } from '../errors/errors.ts';
import { findCountry } from '../graphql/input/country-names.ts';
import { toProblem } from '../graphql/input/issues.ts';
import { validateArguments } from '../graphql/input/validate-arguments.ts';
import { Decimal } from '../money/money.ts';
import { importableFields } from './fields.ts';
import { createInputs, type CellType, type Kind } from './kind.ts';
import type { CsvFormat, CsvRow } from './read-file.ts';

/** The values of a row's fields: valid by themselves, for fields of the input that creates such a record. */
export type Values = Record<string, unknown>;

/** The values as those of a model's new row. `db.row()` leaves out what isn't a column. */
export const toNewRow = <Of extends Kind['model']>(values: Values): NewRow<Of> => values as NewRow<Of>;

/** A number in a text, before a sign for per cent. It begins with the first of its digits, so that no digit is tried again (ReDoS). */
const percentage = /(?<!\d)(\d+(?:[.,]\d+)?)\s*%/;

const isZero = (value: unknown): boolean => value instanceof Decimal && value.isZero();

/** The format that a cell of a type must have, where the code `invalid_format` has a name for it. */
const formats: Partial<Record<CellType, string>> = { DAY: 'date', DECIMAL: 'decimal', PERCENT: 'decimal' };

const choices: Record<string, string> = { yes: 'true', no: 'false', 1: 'true', 0: 'false' };

/** Reads cells as the domain's values. Problems are by field. */
export function createRowReader(schema: GraphQLSchema, kind: Kind, format: CsvFormat) {
  const fields = Object.entries(importableFields(kind));
  const inputs = createInputs(kind).flatMap((input) => getInputFields(schema, input));
  const readDay = dayReader(format.dateFormat);
  const readAmount = amountReader(format.decimalSeparator);

  const readers: Record<CellType, (text: string) => unknown> = {
    TEXT: (text) => text,
    REFERENCE: (text) => text,
    DAY: (text) => readDay(text, ''),
    DECIMAL: (text) => readAmount(text, ''),
    PERCENT: (text) => readAmount(percentage.exec(text)?.[1] ?? text, ''),
    INTEGER: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : text),
    CHOICE: (text) => text.toUpperCase(),
    COUNTRY: (text) => findCountry(text) ?? text,
    BOOLEAN: (text) => {
      const value = choices[text.toLowerCase()] ?? text.toLowerCase();
      return value === 'true' ? true : value === 'false' ? false : text;
    },
    DURATION: parseMinutes,
  };

  return ({ cells }: CsvRow, problems: Problems): Values => {
    const values: Values = {};
    for (const [name, field] of fields) {
      const text = cells.get(name);
      if (field.zeroWith !== undefined && isZero(values[field.zeroWith])) {
        values[name] = new Decimal(0);
        continue;
      }
      if (text === undefined) {
        if (field.required) problems.add(name, 'required', 'Required.');
        continue;
      }
      try {
        values[name] = readers[field.type](text);
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        const expected = formats[field.type];
        problems.add(
          name,
          'invalid_format',
          `This ${error.reason}.`,
          expected === undefined ? {} : { format: expected },
        );
      }
    }
    const present = inputs.filter(({ name }) => values[name] !== undefined);
    const checked = validateArguments(
      present,
      Object.fromEntries(present.map(({ name }) => [name, values[name]])),
      problems,
    );
    for (const [name, { validate }] of fields) {
      if (!validate || values[name] === undefined) continue;
      const { error, data } = validate.safeParse(values[name]);
      for (const issue of error?.issues ?? []) problems.add(name, ...toProblem(issue));
      values[name] = data;
    }
    return { ...values, ...checked };
  };
}

function getInputFields(schema: GraphQLSchema, name: string): GraphQLInputField[] {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`There is no input ${name}`);
  return Object.values(type.getFields());
}

/** Minutes of `1:30`, of `1:30:00`, rounded, or of a whole number. */
function parseMinutes(text: string): number {
  const [, hours, minutes, seconds = '0'] = /^(\d{1,3}):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes) + Math.round(Number(seconds) / 60);
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new StatementError('', 'duration is neither H:MM nor a number of minutes');
}
