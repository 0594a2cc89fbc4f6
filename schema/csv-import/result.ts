import { builder } from '../graphql/builder.ts';
import type { RecordImport as Result } from './import-records.ts';
import { previewRows, type PreviewRow } from './preview.ts';
import { maxErrors, type RecordError } from './read-file.ts';

const RecordImportError = builder.objectRef<RecordError>('RecordImportError').implement({
  description: 'An error in an imported file.',
  fields: (t) => ({
    line: t.exposeInt('line', { nullable: true, description: 'The line, from 1; null for the whole file.' }),
    column: t.exposeString('column', {
      nullable: true,
      description:
        'The column, as `columns` or the preset names it, or the field where there is no column; null for the whole line.',
    }),
    field: t.exposeString('field', {
      nullable: true,
      description: 'The field, as `columns` names it; null for the whole line.',
    }),
    code: t.exposeString('code', { description: 'What is wrong. The page /docs/error-codes explains each code.' }),
    message: t.exposeString('message', { description: 'The error, as a sentence.' }),
    params: t.expose('params', { type: 'ProblemParams', description: 'Values of the message.' }),
  }),
});

const RecordImportCell = builder.objectRef<PreviewRow['cells'][number]>('RecordImportCell').implement({
  description: 'A field of a row, as it was read.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field, as `columns` names it.' }),
    text: t.exposeString('text', { description: 'Its value. Numbers have a decimal point, days are `YYYY-MM-DD`.' }),
  }),
});

const RecordImportRow = builder.objectRef<PreviewRow>('RecordImportRow').implement({
  description: 'A row of an imported file, as it was read.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'The line, from 1.' }),
    cells: t.expose('cells', {
      type: [RecordImportCell],
      description: 'The fields that have a value, in the order of `importKinds`. A field with an error is left out.',
    }),
  }),
});

export const RecordImport = builder.objectRef<Result>('RecordImport').implement({
  description: 'The result of importing records of another system.',
  fields: (t) => ({
    imported: t.exposeInt('imported', {
      description: 'The number of new records; in a dry run, the number that would be imported.',
    }),
    skipped: t.exposeInt('skipped', { description: 'The number of records that were imported before.' }),
    leftOut: t.exposeInt('leftOut', {
      description: 'The number of rows that the preset leaves out, such as those of drafts.',
    }),
    errors: t.expose('errors', {
      type: [RecordImportError],
      description: `The errors of the file, at most ${maxErrors}. If there are any, nothing was imported.`,
    }),
    preview: t.expose('preview', {
      type: [RecordImportRow],
      description: `The first rows, at most ${previewRows}, as they were read.`,
    }),
  }),
});
