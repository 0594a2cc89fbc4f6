import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { builder } from '../builder.ts';
import { refuse } from '../errors.ts';
import { text, wholeNumber } from '../input/validators.ts';
import { importStatement, type ImportResult } from './import.ts';
import { UploadedFile } from '../input/uploaded-file.ts';
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
  description: 'How a bank statement is written.',
  values: {
    CAMT053: { description: 'ISO 20022, camt.053, in any version.' },
    MT940: { description: "SWIFT's." },
    CSV: { description: "The bank's own columns: needs a mapping." },
  },
});

const cell = text(255);

/** Not a letter, a digit or a line break: those would split words, numbers or rows. */
const delimiter = z
  .string()
  .refine(
    (value) => /^(?:\t|[^\p{L}\p{N}\p{Z}\p{C}"])$/u.test(value),
    'Must be a tab, or one character that is no letter, digit, blank, line break or quotation mark.',
  )
  .meta({ minLength: 1, maxLength: 1 });

/** More than a transaction's text is put together from. */
const mostReferences = 20;
const references = z
  .array(z.string())
  .refine((list) => list.length <= mostReferences, `Must not have more than ${mostReferences} columns.`)
  .refine((list) => list.every((each) => cell.safeParse(each).success), 'Must have names of at most 255 characters.')
  .meta({ minItems: 0, maxItems: mostReferences });

const CsvColumnsInput = builder.inputType('CsvColumnsInput', {
  description: 'Where each field stands: the name of a column, or its number, counted from 1.',
  fields: (t) => ({
    bookingDate: t.string({ required: true, description: 'The day the bank entered it.', validate: cell }),
    valueDate: t.string({ description: 'The day it counts from for interest.', validate: cell }),
    amount: t.string({ description: 'Signed, unless `direction` says which way the money went.', validate: cell }),
    direction: t.string({ description: 'D or C, DBIT or CRDT, Soll or Haben, - or +.', validate: cell }),
    debit: t.string({ description: 'Money sent; with `credit`, instead of `amount`.', validate: cell }),
    credit: t.string({ description: 'Money received.', validate: cell }),
    currency: t.string({ description: 'ISO 4217.', validate: cell }),
    accountIban: t.string({ description: "The tenant's account.", validate: cell }),
    counterpartyName: t.string({ description: 'Who sent or received the money.', validate: cell }),
    counterpartyIban: t.string({ description: 'Their account.', validate: cell }),
    reference: t.stringList({
      description: 'Several are joined with blanks, in this order.',
      validate: references,
    }),
    externalId: t.string({ description: "The bank's own reference.", validate: cell }),
  }),
});

const CsvMappingInput = builder.inputType('CsvMappingInput', {
  description: 'How a bank writes its CSV.',
  fields: (t) => ({
    delimiter: t.string({ description: 'Told by the first row where it is not given.', validate: delimiter }),
    encoding: t.string({ description: 'Default: UTF-8, or Windows-1252 where it is none.', validate: text(40) }),
    headerRow: t.boolean({ description: 'Whether the first row names the columns. Default: true.' }),
    skipLines: t.int({ description: 'Lines before the first row.', validate: wholeNumber(0, 1000) }),
    dateFormat: t.string({ required: true, description: 'Of YYYY or YY, MM, DD: `DD.MM.YYYY`.', validate: text(20) }),
    decimalSeparator: t.string({ required: true, description: '`,` or `.`.', validate: text(1) }),
    columns: t.field({ type: CsvColumnsInput, required: true, description: 'Where each field stands.' }),
    accountIban: t.string({ description: 'Where no column says so.', validate: cell }),
    currency: t.string({ description: 'Where no column says so.', validate: cell }),
  }),
});

type Given = typeof CsvMappingInput.$inferInput;

/** What is null was not given; a column that is a number is one's place. */
function mappingOf({ columns, decimalSeparator, ...rest }: Given): CsvMapping {
  if (decimalSeparator !== ',' && decimalSeparator !== '.') refuse('csv.decimalSeparator', 'Must be , or . .');
  const place = (column: string): string | number => (/^\d{1,3}$/.test(column) ? Number(column) : column);
  const places = Object.entries(columns)
    .filter((entry): entry is [string, string | string[]] => entry[1] != null)
    .map(([field, column]) => [field, Array.isArray(column) ? column.map(place) : place(column)]);
  const others = Object.entries(rest).filter(([, value]) => value != null);
  return { ...Object.fromEntries(others), decimalSeparator, columns: Object.fromEntries(places) } as CsvMapping;
}

const StatementImport = builder.objectRef<ImportResult>('StatementImport').implement({
  description: 'What became of a bank statement.',
  fields: (t) => ({
    imported: t.exposeInt('imported', { description: 'Transactions that were new.' }),
    skipped: t.exposeInt('skipped', { description: 'Transactions that were there already.' }),
    matched: t.exposeInt('matched', {
      description: 'New ones that paid something for certain, and were matched with it.',
    }),
    warnings: t.exposeStringList('warnings', { description: 'What is odd about the file.' }),
  }),
});

builder.mutationField('importBankStatement', (t) =>
  t.field({
    type: StatementImport,
    description:
      'Imports a bank statement: the whole of it or nothing. What was imported before is skipped. What certainly pays an invoice or receipt (its number named, the amount exactly what is due) is matched with it.',
    ability: 'bank-transactions:write',
    args: {
      file: t.arg({ type: 'Upload', required: true, description: 'CAMT.053, MT940 or CSV.' }),
      format: t.arg({ type: StatementFormat, description: 'Told by the content where it is not given.' }),
      csv: t.arg({ type: CsvMappingInput, description: 'Needed for CSV.' }),
    },
    resolve: (_root, { file, format, csv }, context) => {
      if (file.fault !== undefined) refuse('file', file.fault);
      return importStatement(context, file.path, {
        ...(format && { format: format.toLowerCase() as StatementFormatName }),
        ...(csv && { csv: mappingOf(csv) }),
      });
    },
  }),
);
