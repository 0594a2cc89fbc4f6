import type { Kind } from './kind.ts';
import { xero } from './presets/xero.ts';
import { zohoBooks } from './presets/zoho-books.ts';
import type { CsvFormat } from './read-file.ts';

/** How the files of another system are read (DECISIONS.md#d83-presets). */
export interface Preset {
  /** The system's name. */
  title: string;
  /** Addresses of the documents that describe the format. */
  sources: string[];
  files: { [Model in Kind['model']]?: PresetFile };
}

/** How the file with one kind of records is read. */
export interface PresetFile {
  /** The heading of each field's column. A file may lack those of fields that aren't required, or that have a default. */
  columns: Record<string, string>;
  /** Texts that are read where a cell is empty, or the column is missing. */
  defaults: Record<string, string>;
  format: CsvFormat;
  /** By heading: rows with one of these texts, in any case, are left out. */
  leftOut: Record<string, string[]>;
  /** By field: texts, in lower case, and what they mean here. */
  replacements: Record<string, Record<string, string>>;
}

/** The presets by their names in GraphQL. */
export const presets = { XERO: xero, ZOHO_BOOKS: zohoBooks } as const satisfies Record<string, Preset>;
export type PresetName = keyof typeof presets;

/** The preset of a kind of records; undefined where a system has no file with these. */
export const presetFile = (name: PresetName, { model }: Kind): PresetFile | undefined => {
  const { files }: Preset = presets[name];
  return files[model];
};
