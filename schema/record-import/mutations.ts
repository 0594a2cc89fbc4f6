import { cell, columnOf, delimiter } from '../bank-import/upload.ts';
import { builder } from '../builder.ts';
import { refuse, requireAbilities } from '../errors.ts';
import { text, wholeNumber } from '../input/validators.ts';
import { importRecords, type RecordImport as Result } from './import.ts';
import { kinds, type Kind } from './kinds.ts';
import { maxErrors, maxRows, type CsvFormat, type RecordError } from './read-file.ts';

const CsvFormatInput = builder.inputType('CsvFormatInput', {
  description: 'How a CSV file is written. Its first row has the names of the columns.',
  fields: (t) => ({
    delimiter: t.string({ description: 'Default: detected from the first row.', validate: delimiter }),
    encoding: t.string({
      description: 'Default: UTF-8, or Windows-1252 if the file is not valid UTF-8.',
      validate: text(40),
    }),
    skipLines: t.int({
      description: 'The number of lines to skip before the first row.',
      validate: wholeNumber(0, 1000),
    }),
    dateFormat: t.string({
      description: 'The date format, of YYYY or YY, MM, and DD: `DD.MM.YYYY`. Default: `YYYY-MM-DD`.',
      validate: text(20),
    }),
    decimalSeparator: t.string({ description: '`,` or `.`. Default: `.`.', validate: text(1) }),
  }),
});

const RecordImportError = builder.objectRef<RecordError>('RecordImportError').implement({
  description: 'An error in an imported file.',
  fields: (t) => ({
    line: t.exposeInt('line', { nullable: true, description: 'The line, from 1; null for the whole file.' }),
    column: t.exposeString('column', {
      nullable: true,
      description: 'The column as `columns` names it, or the field where there is no column; null for the whole line.',
    }),
    message: t.exposeString('message', { description: 'The error, as a sentence.' }),
  }),
});

const RecordImport = builder.objectRef<Result>('RecordImport').implement({
  description: 'The result of importing records of another system.',
  fields: (t) => ({
    imported: t.exposeInt('imported', {
      description: 'The number of new records; in a dry run, the number that would be imported.',
    }),
    skipped: t.exposeInt('skipped', { description: 'The number of records that were imported before.' }),
    errors: t.expose('errors', {
      type: [RecordImportError],
      description: `The errors of the file, at most ${maxErrors}. If there are any, nothing was imported.`,
    }),
  }),
});

type Given = typeof CsvFormatInput.$inferInput;

function formatOf({ dateFormat, decimalSeparator, ...rest }: Given): CsvFormat {
  const separator = decimalSeparator ?? '.';
  if (separator !== ',' && separator !== '.') refuse('format.decimalSeparator', 'Must be , or . .');
  const { delimiter: separatedBy, encoding, skipLines } = rest;
  return {
    dateFormat: dateFormat ?? 'YYYY-MM-DD',
    decimalSeparator: separator,
    ...(separatedBy != null && { delimiter: separatedBy }),
    ...(encoding != null && { encoding }),
    ...(skipLines != null && { skipLines }),
  };
}

type Texts = Record<string, string | null | undefined>;

const given = (texts: Texts | null | undefined): [field: string, text: string][] =>
  Object.entries(texts ?? {}).filter((entry): entry is [string, string] => entry[1] != null && entry[1] !== '');

function addImport(kind: Kind): void {
  const { name, plural, fields } = kind;
  const words = plural.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
  const ColumnsInput = builder.inputType(`${name}ColumnsInput`, {
    description: `A text for each field of imported ${words}: in \`columns\` the column's name, or its number from 1.`,
    fields: (t) =>
      Object.fromEntries(
        Object.entries(fields).map(([field, { description }]) => [field, t.string({ description, validate: cell })]),
      ),
  });
  builder.mutationField(`import${plural}`, (t) =>
    t.field({
      type: RecordImport,
      description: `Imports ${words} from a CSV file of another system, at most ${maxRows} rows: all or nothing. A record that was imported before is skipped. Nothing is reported as an event.`,
      ability: kind.write,
      args: {
        file: t.arg({ type: 'Upload', required: true, description: 'A CSV file.' }),
        columns: t.arg({ type: ColumnsInput, required: true, description: 'The column of each field.' }),
        defaults: t.arg({
          type: ColumnsInput,
          description: 'What is read where a cell is empty, or a field has no column.',
        }),
        format: t.arg({ type: CsvFormatInput, description: 'How the file is written.' }),
        dryRun: t.arg.boolean({ description: 'Whether to check only, and write nothing. Default: false.' }),
      },
      rules: ({ columns, defaults }, context, problems) => {
        requireAbilities(context, kind.reads);
        const named = new Set([...given(columns), ...given(defaults)].map(([field]) => field));
        for (const [field, { required }] of Object.entries(fields))
          if (required && !named.has(field)) problems.add(`columns.${field}`, 'Required, as a column or a default.');
      },
      resolve: (_root, { file, columns, defaults, format, dryRun }, context, { schema }) => {
        if (file.fault !== undefined) refuse('file', file.fault);
        const read = {
          path: file.path,
          format: formatOf(format ?? {}),
          columns: new Map(given(columns).map(([field, column]) => [field, columnOf(column)])),
          defaults: new Map(given(defaults)),
        };
        return importRecords(context, schema, kind, read, { dryRun: dryRun ?? false });
      },
    }),
  );
}

for (const kind of kinds) addImport(kind);
