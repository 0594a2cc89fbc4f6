import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { builder } from '../graphql/builder.ts';
import { refusal } from '../graphql/input/issues.ts';
import { refuse } from '../errors/errors.ts';
import { text, wholeNumber } from '../graphql/input/validators.ts';
import { importStatement, type ImportResult } from './import-statement.ts';
import { UploadedFile } from '../graphql/input/uploaded-file.ts';
import type { CsvMapping, StatementFormat as StatementFormatName } from './parsers/statement.ts';

builder.scalarType('Upload', {
  description: 'A file, sent as the GraphQL multipart request specification says. At most 64 MiB.',
  specifiedByURL: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  serialize: () => {
    throw new Error('Files are not answered');
  },
  parseValue: (value) => {
    if (value instanceof UploadedFile) return value;
    throw new GraphQLError('Must be a file of a multipart request.');
  },
});

const StatementFormat = builder.enumType('StatementFormat', {
  description: 'The file format of a bank statement.',
  values: {
    CAMT053: { description: 'ISO 20022, camt.053, in any version.' },
    MT940: { description: 'SWIFT MT940.' },
    CSV: { description: "CSV with the bank's own columns; needs a mapping." },
  },
});

export const cell = text(255);

/** A delimiter must not be a letter, a digit or a line break: these would split words, numbers or rows. */
export const delimiter = z
  .string()
  .refine(
    (value) => /^(?:\t|[^\p{L}\p{N}\p{Z}\p{C}"])$/u.test(value),
    refusal(
      'invalid_format',
      'Must be a tab, or one character that is no letter, digit, blank, line break or quotation mark.',
    ),
  )
  .meta({ minLength: 1, maxLength: 1 });

/** The limit of columns whose texts are joined to a transaction's reference. */
const maxReferences = 20;
const references = z
  .array(z.string())
  .refine(
    (list) => list.length <= maxReferences,
    refusal('wrong_count', `Must not have more than ${maxReferences} columns.`, { min: 0, max: maxReferences }),
  )
  .refine(
    (list) => list.every((each) => cell.safeParse(each).success),
    refusal('too_long', 'Must have names of at most 255 characters.', { max: 255 }),
  )
  .meta({ minItems: 0, maxItems: maxReferences });

const CsvColumnsInput = builder.inputType('CsvColumnsInput', {
  description: 'The column of each field: its name, or its number from 1.',
  fields: (t) => ({
    bookingDate: t.string({ required: true, description: 'The day on which the bank booked it.', validate: cell }),
    valueDate: t.string({ description: 'The value date.', validate: cell }),
    amount: t.string({
      description: 'The amount, with its sign unless there is a `direction` column.',
      validate: cell,
    }),
    direction: t.string({ description: 'D or C, DBIT or CRDT, Soll or Haben, - or +.', validate: cell }),
    debit: t.string({ description: 'Money sent; with `credit`, instead of `amount`.', validate: cell }),
    credit: t.string({ description: 'Money received.', validate: cell }),
    currency: t.string({ description: 'ISO 4217.', validate: cell }),
    accountIban: t.string({ description: "The tenant's account.", validate: cell }),
    counterpartyName: t.string({ description: 'The sender or recipient of the money.', validate: cell }),
    counterpartyIban: t.string({ description: "The counterparty's account.", validate: cell }),
    reference: t.stringList({
      description: 'The texts of several columns are joined by spaces, in this order.',
      validate: references,
    }),
    externalId: t.string({ description: "The bank's own reference.", validate: cell }),
  }),
});

const CsvMappingInput = builder.inputType('CsvMappingInput', {
  description: "The format of a bank's CSV files.",
  fields: (t) => ({
    delimiter: t.string({ description: 'Default: detected from the first row.', validate: delimiter }),
    encoding: t.string({
      description: 'Default: UTF-8, or Windows-1252 if the file is not valid UTF-8.',
      validate: text(40),
    }),
    headerRow: t.boolean({ description: 'Whether the first row names the columns. Default: true.' }),
    skipLines: t.int({
      description: 'The number of lines to skip before the first row.',
      validate: wholeNumber(0, 1000),
    }),
    dateFormat: t.string({
      required: true,
      description: 'The date format, of YYYY or YY, MM, and DD: `DD.MM.YYYY`.',
      validate: text(20),
    }),
    decimalSeparator: t.string({ required: true, description: '`,` or `.`.', validate: text(1) }),
    columns: t.field({ type: CsvColumnsInput, required: true, description: 'The column of each field.' }),
    accountIban: t.string({ description: "The tenant's account, if no column has it.", validate: cell }),
    currency: t.string({ description: 'The currency, ISO 4217, if no column has it.', validate: cell }),
  }),
});

type CsvMappingArguments = typeof CsvMappingInput.$inferInput;

/** A column that is given by its name, or by its number. */
export const parseColumn = (column: string): string | number => (/^\d{1,3}$/.test(column) ? Number(column) : column);

/** Omits values that are null, and converts a column given as a number to its position. */
function toMapping({ columns, decimalSeparator, ...rest }: CsvMappingArguments): CsvMapping {
  if (decimalSeparator !== ',' && decimalSeparator !== '.')
    refuse('csv.decimalSeparator', 'unknown_value', 'Must be , or . .', { values: [',', '.'] });
  const places = Object.entries(columns)
    .filter((entry): entry is [string, string | string[]] => entry[1] != null)
    .map(([field, column]) => [field, Array.isArray(column) ? column.map(parseColumn) : parseColumn(column)]);
  const others = Object.entries(rest).filter(([, value]) => value != null);
  return { ...Object.fromEntries(others), decimalSeparator, columns: Object.fromEntries(places) } as CsvMapping;
}

const StatementImport = builder.objectRef<ImportResult>('StatementImport').implement({
  description: 'The result of importing a bank statement.',
  fields: (t) => ({
    imported: t.exposeInt('imported', { description: 'The number of new transactions.' }),
    skipped: t.exposeInt('skipped', { description: 'The number of transactions that were imported before.' }),
    matched: t.exposeInt('matched', {
      description: 'The number of new transactions that were matched automatically.',
    }),
    warnings: t.exposeStringList('warnings', { description: 'Warnings about the file.' }),
  }),
});

builder.mutationField('importBankStatement', (t) =>
  t.field({
    type: StatementImport,
    description:
      'Imports a bank statement, completely or not at all. Transactions that were imported before are skipped. A transaction that names an invoice or receipt, and has exactly the amount due, is matched with it.',
    ability: 'bank-transactions:write',
    extensions: { hasOwnTransaction: true }, // it reads the file, and waits for others, without a connection
    args: {
      file: t.arg({ type: 'Upload', required: true, description: 'CAMT.053, MT940 or CSV.' }),
      format: t.arg({ type: StatementFormat, description: 'Default: detected from the content.' }),
      csv: t.arg({ type: CsvMappingInput, description: 'Required for CSV.' }),
    },
    resolve: (_root, { file, format, csv }, context) => {
      if (file.problem !== undefined) refuse('file', ...file.problem);
      return importStatement(context, file.path, {
        ...(format && { format: format.toLowerCase() as StatementFormatName }),
        ...(csv && { csv: toMapping(csv) }),
      });
    },
  }),
);
