import { parseColumn } from '../bank-statements/upload.ts';
import { refuse } from '../errors/errors.ts';
import { importableFields } from './fields.ts';
import type { Kind } from './kind.ts';
import { presetFile, type PresetFile, type PresetName } from './presets.ts';
import type { CsvFormat, FileMapping } from './read-file.ts';

/** A text for each field; empty ones count as missing. */
export type Texts = Record<string, string | null | undefined>;

type Nullish<Of> = { [Name in keyof Of]?: Of[Name] | null | undefined };

/** Options for reading a file. They override the preset's. */
export interface MappingArguments {
  preset?: PresetName | null | undefined;
  columns?: Texts | null | undefined;
  defaults?: Texts | null | undefined;
}

const listTexts = (texts: Texts | null | undefined): [field: string, text: string][] =>
  Object.entries(texts ?? {}).filter((entry): entry is [string, string] => entry[1] != null && entry[1] !== '');

/** The fields that have a column or a default. */
export function mappedFields(kind: Kind, { preset, columns, defaults }: MappingArguments): Set<string> {
  const file = preset ? presetFile(preset, kind) : undefined;
  return new Set(
    [...listTexts(columns ?? file?.columns), ...listTexts(defaults ?? file?.defaults)].map(([field]) => field),
  );
}

export function resolveMapping(kind: Kind, { preset, columns, defaults }: MappingArguments): FileMapping {
  const file = preset ? presetFile(preset, kind) : undefined;
  const texts = new Map(listTexts(defaults ?? file?.defaults));
  return {
    columns: new Map(listTexts(columns ?? file?.columns).map(([field, column]) => [field, parseColumn(column)])),
    defaults: texts,
    // Columns that the caller names must be there.
    ...(!columns && { optional: findOptional(kind, texts) }),
    ...(file && resolveRules(file)),
  };
}

const findOptional = (kind: Kind, defaults: ReadonlyMap<string, string>): Set<string> =>
  new Set(
    Object.entries(importableFields(kind)).flatMap(([name, { required }]) =>
      required && !defaults.has(name) ? [] : name,
    ),
  );

const resolveRules = ({ leftOut, replacements }: PresetFile): Pick<FileMapping, 'leftOut' | 'replacements'> => ({
  leftOut: new Map(Object.entries(leftOut).map(([column, texts]) => [column, texts.map((text) => text.toLowerCase())])),
  replacements: new Map(Object.entries(replacements)),
});

/** @throws ValidationError for a decimal separator that is none */
export function resolveFormat(
  kind: Kind,
  preset: PresetName | null | undefined,
  {
    dateFormat,
    decimalSeparator,
    delimiter,
    encoding,
    skipLines,
  }: Nullish<Omit<CsvFormat, 'decimalSeparator'>> & {
    decimalSeparator?: string | null | undefined;
  },
): CsvFormat {
  const usual = preset ? presetFile(preset, kind)?.format : undefined;
  const separator = decimalSeparator ?? usual?.decimalSeparator ?? '.';
  if (separator !== ',' && separator !== '.')
    refuse('format.decimalSeparator', 'unknown_value', 'Must be , or . .', { values: [',', '.'] });
  return {
    dateFormat: dateFormat ?? usual?.dateFormat ?? 'YYYY-MM-DD',
    decimalSeparator: separator,
    ...(delimiter != null && { delimiter }),
    ...(encoding != null && { encoding }),
    ...(skipLines != null && { skipLines }),
  };
}
