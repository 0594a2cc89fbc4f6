import type { Rows } from '../../prisma/client.ts';
import { resources, type Resource } from '../resource-list.ts';
import type { Ability } from '../graphql/ability.ts';
import type { Context } from '../graphql/context.ts';
import type { requiredText } from '../graphql/input/validators.ts';
import type { Errors } from './errors.ts';
import type { CsvRow } from './read-file.ts';
import type { ImportedRecord, ReadRow } from './records.ts';

/**
 * How a cell's text is read. `REFERENCE` is an id in the other system, or a name; `DURATION` is minutes, or 1:30; `PERCENT` is a
 * number, or a text that has a percentage, such as `20% (VAT on Income)`.
 */
export type CellType =
  | 'TEXT'
  | 'DAY'
  | 'DECIMAL'
  | 'INTEGER'
  | 'PERCENT'
  | 'BOOLEAN'
  | 'CHOICE'
  | 'COUNTRY'
  | 'DURATION'
  | 'REFERENCE';

/** A field of imported records. */
export interface ImportableField {
  type: CellType;
  description: string;
  /** Whether it needs a column or a default. */
  required: boolean;
  /** Another field, before this one. Where that is 0, so is this one, whatever its cell says. */
  zeroWith?: string;
  /** Checks the value of a field that the `Create…Input` lacks. */
  validate?: ReturnType<typeof requiredText>;
}

/** The differences of a field from that of the `Create…Input`. A field that the input lacks says its type. */
export type FieldDeclaration = { description: string } & Partial<ImportableField>;

/** Builds the rows of a record; undefined where its errors leave none to be built. */
export type RowBuilder = (context: Context, record: ImportedRecord, first: ReadRow, errors: Errors) => Rows | undefined;

/** Records of one model that can be imported. All else about them follows from the resource. */
export interface Kind {
  model: 'Customer' | 'Project' | 'Invoice' | 'Receipt' | 'TimeEntry';
  mutation: `import${string}`;
  /** The input of an item, if a record has a row for each of its items. */
  itemInput?: string;
  /** Which other resources its columns name. */
  reads: Ability[];
  /**
   * Fields of records, in the order in which they are shown: those of files only, and those of the `Create…Input` that are
   * described or read in another way. The input's other fields follow them.
   */
  fields: Readonly<Record<string, FieldDeclaration>>;
  /** The input's fields that no column can have, each with the reason. */
  excluded: Readonly<Record<string, string>>;
  /** Looks up what the new records of a file refer to, once for all of them. */
  prepare: (context: Context, rows: CsvRow[], records: readonly ImportedRecord[]) => Promise<RowBuilder>;
}

export function findResource({ model }: Pick<Kind, 'model'>): Resource {
  const resource = resources.find((each) => each.model === model);
  if (!resource) throw new Error(`${model} is no resource`);
  return resource;
}

/** Names of the inputs that create a record. */
export const createInputs = ({ model, itemInput }: Kind): string[] => [
  `Create${model}Input`,
  ...(itemInput === undefined ? [] : [itemInput]),
];
