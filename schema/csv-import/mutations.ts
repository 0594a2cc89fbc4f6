import { cell, delimiter } from '../bank-statements/upload.ts';
import { builder } from '../graphql/builder.ts';
import { refuse, requireAbilities } from '../errors/errors.ts';
import { text, wholeNumber } from '../graphql/input/validators.ts';
import { importRecords } from './import-records.ts';
import { ImportPreset } from './import-kinds.ts';
import { importableFields } from './fields.ts';
import { findResource, type Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { mappedFields, resolveFormat, resolveMapping } from './mapping.ts';
import { presetFile } from './presets.ts';
import { maxRows } from './read-file.ts';
import { progressIdText } from './progress.ts';
import { RecordImport } from './result.ts';

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
      description: "The date format, of YYYY or YY, MM, and DD: `DD.MM.YYYY`. Default: the preset's, or `YYYY-MM-DD`.",
      validate: text(20),
    }),
    decimalSeparator: t.string({ description: "`,` or `.`. Default: the preset's, or `.`.", validate: text(1) }),
  }),
});

function addImport(kind: Kind): void {
  const { path, scope } = findResource(kind);
  const words = path.replaceAll('-', ' ');
  const ColumnsInput = builder.inputType(`${kind.model}ColumnsInput`, {
    description: `A text for each field of imported ${words}: in \`columns\` the column's name, or its number from 1.`,
    fields: (t) =>
      Object.fromEntries(
        Object.entries(importableFields(kind)).map(([name, { description }]) => [
          name,
          t.string({ description, validate: cell }),
        ]),
      ),
  });
  builder.mutationField(kind.mutation, (t) =>
    t.field({
      type: RecordImport,
      description: `Imports ${words} from a CSV file of another system, at most ${maxRows} rows: all or nothing. A record that was imported before is skipped. Nothing is reported as an event.`,
      ability: `${scope}:write`,
      extensions: { hasOwnTransaction: true }, // it reads the file, and checks its rows, without a connection
      args: {
        file: t.arg({ type: 'Upload', required: true, description: 'A CSV file.' }),
        preset: t.arg({
          type: ImportPreset,
          description: 'The system that exported the file. Other arguments take the place of what it says.',
        }),
        columns: t.arg({ type: ColumnsInput, description: "The column of each field. Default: the preset's." }),
        defaults: t.arg({
          type: ColumnsInput,
          description: "What is read where a cell is empty, or a field has no column. Default: the preset's.",
        }),
        format: t.arg({ type: CsvFormatInput, description: 'How the file is written.' }),
        dryRun: t.arg.boolean({ description: 'Whether to check only, and write nothing. Default: false.' }),
        progressId: t.arg.string({
          description:
            'An id of your own, of letters, digits, - and _, under which `importProgress` reports how far the import is.',
          validate: progressIdText,
        }),
      },
      rules: (args, context, problems) => {
        requireAbilities(context, kind.reads);
        if (args.preset && !presetFile(args.preset, kind))
          problems.add('preset', 'inconsistent', `Has no file with ${words}.`);
        const mapped = mappedFields(kind, args);
        for (const [field, { required }] of Object.entries(importableFields(kind)))
          if (required && !mapped.has(field))
            problems.add(`columns.${field}`, 'required', 'Required, as a column or a default.');
      },
      resolve: (_root, { file, preset, format, dryRun, progressId, ...args }, context, { schema }) => {
        if (file.problem !== undefined) refuse('file', ...file.problem);
        const read = {
          path: file.path,
          format: resolveFormat(kind, preset, format ?? {}),
          mapping: resolveMapping(kind, { preset, ...args }),
        };
        return importRecords(context, schema, kind, read, {
          dryRun: dryRun ?? false,
          progressId: progressId ?? null,
        });
      },
    }),
  );
}

for (const kind of kinds) addImport(kind);
