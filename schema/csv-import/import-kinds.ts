import { builder } from '../graphql/builder.ts';
import { resourceName, ResourceNameType } from '../graphql/resource-name.ts';
import { importableFields } from './fields.ts';
import { findResource, type CellType, type ImportableField, type Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { presetFile, presets, type PresetFile, type PresetName } from './presets.ts';

const names = Object.keys(presets) as PresetName[];

export const ImportPreset = builder.enumType('ImportPreset', {
  description: 'A system whose exported files are known.',
  values: Object.fromEntries(
    names.map((name) => [
      name,
      { description: `${presets[name].title}. The format is described in ${presets[name].sources.join(' and ')}.` },
    ]),
  ) as Record<PresetName, { description: string }>,
});

const ImportFieldType = builder.enumType('ImportFieldType', {
  description: "How a cell's text is read.",
  values: {
    TEXT: { description: 'As it is.' },
    REFERENCE: { description: 'The id of another record in the other system, or its name.' },
    DAY: { description: 'A day in the date format.' },
    DECIMAL: { description: 'A number with the decimal separator.' },
    INTEGER: { description: 'A whole number.' },
    PERCENT: { description: 'A number, or a text that has a percentage.' },
    CHOICE: { description: 'A value of an enum, in any case.' },
    BOOLEAN: { description: '`yes` or `no`, `true` or `false`, `1` or `0`.' },
    COUNTRY: { description: "A country's code or name." },
    DURATION: { description: '`1:30`, `1:30:00`, or minutes.' },
  } satisfies Record<CellType, { description: string }>,
});

const ImportField = builder.objectRef<[name: string, field: ImportableField]>('ImportField').implement({
  description: 'A field of records that can be imported.',
  fields: (t) => ({
    name: t.string({ description: 'Its name in `columns`.', resolve: ([name]) => name }),
    description: t.string({
      description: 'What it is, and how it is read.',
      resolve: ([, field]) => field.description,
    }),
    type: t.field({ type: ImportFieldType, description: 'How it is read.', resolve: ([, field]) => field.type }),
    isRequired: t.boolean({
      description: 'Whether it needs a column or a default.',
      resolve: ([, field]) => field.required,
    }),
  }),
});

interface FieldText {
  field: string;
  text: string;
}
const ImportFieldText = builder.objectRef<FieldText>('ImportFieldText').implement({
  description: 'A text for a field.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field, as `columns` names it.' }),
    text: t.exposeString('text', { description: "A column's heading, or what is read by default." }),
  }),
});

interface LeftOut {
  column: string;
  texts: string[];
}
const ImportLeftOut = builder.objectRef<LeftOut>('ImportLeftOut').implement({
  description: 'Rows that are left out.',
  fields: (t) => ({
    column: t.exposeString('column', { description: 'The heading of a column.' }),
    texts: t.exposeStringList('texts', { description: 'Rows with one of these texts there, in any case.' }),
  }),
});

const listTexts = (texts: Record<string, string>): FieldText[] =>
  Object.entries(texts).map(([field, text]) => ({ field, text }));

const ImportPresetFile = builder.objectRef<{ preset: PresetName; file: PresetFile }>('ImportPresetFile').implement({
  description: 'How a file that another system exports is read.',
  fields: (t) => ({
    preset: t.expose('preset', { type: ImportPreset, description: 'The system.' }),
    title: t.string({ description: "The system's name.", resolve: ({ preset }) => presets[preset].title }),
    columns: t.field({
      type: [ImportFieldText],
      description: "The heading of each field's column. A file may lack those of fields that need none.",
      resolve: ({ file }) => listTexts(file.columns),
    }),
    defaults: t.field({
      type: [ImportFieldText],
      description: 'What is read where a cell is empty, or the column is missing.',
      resolve: ({ file }) => listTexts(file.defaults),
    }),
    dateFormat: t.string({ description: 'The usual date format.', resolve: ({ file }) => file.format.dateFormat }),
    decimalSeparator: t.string({
      description: 'The usual decimal separator.',
      resolve: ({ file }) => file.format.decimalSeparator,
    }),
    leftOut: t.field({
      type: [ImportLeftOut],
      description: 'Which rows are left out.',
      resolve: ({ file }) => Object.entries(file.leftOut).map(([column, texts]) => ({ column, texts })),
    }),
  }),
});

const ImportKind = builder.objectRef<Kind>('ImportKind').implement({
  description: 'A kind of records that can be imported.',
  fields: (t) => ({
    resource: t.field({
      type: ResourceNameType,
      description: 'What the records become.',
      resolve: (kind) => resourceName(findResource(kind)),
    }),
    fields: t.field({
      type: [ImportField],
      description: 'Its fields.',
      resolve: (kind) => Object.entries(importableFields(kind)),
    }),
    presets: t.field({
      type: [ImportPresetFile],
      description: 'The files of other systems that are known.',
      resolve: (kind) =>
        names.flatMap((preset) => {
          const file = presetFile(preset, kind);
          return file ? { preset, file } : [];
        }),
    }),
  }),
});

builder.queryField('importKinds', (t) =>
  t.field({
    type: [ImportKind],
    description:
      'The kinds of records that can be imported, in an order in which they can refer to each other: what a program or a person needs to map the columns of a file.',
    resolve: () => [...kinds],
  }),
);
