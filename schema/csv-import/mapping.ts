import { columnOf } from '../bank-statements/upload.ts';
import { refuse } from '../errors.ts';
import type { Kind } from './kinds.ts';
import { presetFile, type PresetFile, type PresetName } from './presets.ts';
import type { CsvFormat, FileMapping } from './read-file.ts';

/** A text for each field; empty ones count as missing. */
export type Texts = Record<string, string | null | undefined>;

type Given<Of> = { [Name in keyof Of]?: Of[Name] | null | undefined };

/** What a caller says of a file. What is given takes the place of what the preset has. */
export interface MappingArguments {
  preset?: PresetName | null | undefined;
  columns?: Texts | null | undefined;
  defaults?: Texts | null | undefined;
}

const entriesOf = (texts: Texts | null | undefined): [field: string, text: string][] =>
  Object.entries(texts ?? {}).filter((entry): entry is [string, string] => entry[1] != null && entry[1] !== '');

/** The fields that have a column or a default. */
export function mappedFields(kind: Kind, { preset, columns, defaults }: MappingArguments): Set<string> {
  const file = preset ? presetFile(preset, kind) : undefined;
  return new Set(
    [...entriesOf(columns ?? file?.columns), ...entriesOf(defaults ?? file?.defaults)].map(([field]) => field),
  );
}

export function mappingOf(kind: Kind, { preset, columns, defaults }: MappingArguments): FileMapping {
  const file = preset ? presetFile(preset, kind) : undefined;
  const texts = new Map(entriesOf(defaults ?? file?.defaults));
  return {
    columns: new Map(entriesOf(columns ?? file?.columns).map(([field, column]) => [field, columnOf(column)])),
    defaults: texts,
    // Columns that the caller names must be there.
    ...(!columns && { optional: new Set(Object.keys(kind.fields).filter((name) => isOptional(kind, name, texts))) }),
    ...(file && rulesOf(file)),
  };
}

const isOptional = ({ fields }: Kind, name: string, defaults: ReadonlyMap<string, string>): boolean =>
  !fields[name]?.required || defaults.has(name);

const rulesOf = ({ leftOut, replacements }: PresetFile): Pick<FileMapping, 'leftOut' | 'replacements'> => ({
  leftOut: new Map(Object.entries(leftOut).map(([column, texts]) => [column, texts.map((text) => text.toLowerCase())])),
  replacements: new Map(Object.entries(replacements)),
});

/** @throws ValidationError for a decimal separator that is none */
export function formatOf(
  kind: Kind,
  preset: PresetName | null | undefined,
  {
    dateFormat,
    decimalSeparator,
    delimiter,
    encoding,
    skipLines,
  }: Given<Omit<CsvFormat, 'decimalSeparator'>> & {
    decimalSeparator?: string | null | undefined;
  },
): CsvFormat {
  const usual = preset ? presetFile(preset, kind)?.format : undefined;
  const separator = decimalSeparator ?? usual?.decimalSeparator ?? '.';
  if (separator !== ',' && separator !== '.') refuse('format.decimalSeparator', 'Must be , or . .');
  return {
    dateFormat: dateFormat ?? usual?.dateFormat ?? 'YYYY-MM-DD',
    decimalSeparator: separator,
    ...(delimiter != null && { delimiter }),
    ...(encoding != null && { encoding }),
    ...(skipLines != null && { skipLines }),
  };
}
