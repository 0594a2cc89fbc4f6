import type { Prisma } from './generated/client/client.ts';
import { datamodel } from './generated/datamodel.ts';

/** A field that is a column. */
export interface Column {
  kind: 'column';
  /** The name in Prisma, and the unquoted name in PostgreSQL. */
  name: string;
  column: string;
  /** Prisma's type: `String`, `Decimal`; an enum's is `Enum`. */
  type: string;
  /** The native type of `@db.`, such as `Uuid`; null without one. */
  native: string | null;
  /** Of a decimal: the most digits in all, and after the point; null for other types. */
  digits: { all: number; decimals: number } | null;
  isList: boolean;
  nullable: boolean;
  /** An enum's type in PostgreSQL, and its values by Prisma's names; null for other types. */
  enumeration: { type: string; values: ReadonlyMap<string, string> } | null;
  /** Prisma's default: a value, or the name of its function; null without one. */
  initial: unknown;
  /** Whether PostgreSQL generates it: it is never written. */
  isGenerated: boolean;
  /** Whether it is only read if a query names it: the searched text is long, and shown nowhere. */
  isOmitted: boolean;
  /** Whether people read its texts as words: lists are ordered by them regardless of case and accents. */
  isWords: boolean;
}

/** A relation to one row or many rows of another model: those whose columns `there` equal this row's columns `here`. */
export interface Relation {
  kind: 'relation';
  name: string;
  model: Prisma.ModelName;
  isList: boolean;
  /** Whether there may be no such row. */
  nullable: boolean;
  here: Column[];
  there: Column[];
}

/** A model, as Prisma's schema maps it to its table. */
export interface Table {
  model: Prisma.ModelName;
  /** The table's name in PostgreSQL, unquoted. */
  table: string;
  fields: ReadonlyMap<string, Column | Relation>;
  primaryKey: Column[];
  /** The fields of each index, in order. */
  indexes: readonly (readonly string[])[];
}

type Field = (typeof datamodel.models)[number]['fields'][number];

const enumerations = new Map(
  datamodel.enums.map(({ name, dbName, values }) => [
    name,
    { type: dbName ?? name, values: new Map(values.map((value) => [value.name, value.dbName ?? value.name])) },
  ]),
);

function getDigits({ type, nativeArguments: [all = 0, decimals = 0] }: Field): Column['digits'] {
  return type === 'Decimal' ? { all, decimals } : null;
}

/** The field that has a row's searched fields, in every model that is searched. */
const searchText = 'searchText';

/** The texts that people read as words, in every model. Others are numbers, codes, and addresses of machines. */
const words = new Set([
  'addressLine1',
  'category',
  'city',
  'companyName',
  'contactName',
  'counterpartyName',
  'name',
  'reason',
  'subject',
]);

/** The words by which an index has each tenant's rows in order: of an expression, which Prisma's schema can't declare. */
const indexedWords: Partial<Record<Prisma.ModelName, readonly string[]>> = {
  Customer: ['companyName'],
  Project: ['name'],
};

/** Prisma's schema declares a column that PostgreSQL generates by a default without an expression. */
function isGenerated({ default: initial }: Field): boolean {
  const { name, args = [] } = (initial ?? {}) as { name?: string; args?: unknown[] };
  return name === 'dbgenerated' && args.length === 0;
}

/** Prisma has the default of a JSON column as its text. */
const getDefault = ({ type, default: initial }: Field): unknown =>
  type === 'Json' && typeof initial === 'string' ? { json: JSON.parse(initial) as unknown } : initial;

const buildColumn = (field: Field): Column => ({
  kind: 'column',
  name: field.name,
  column: field.dbName ?? field.name,
  type: field.kind === 'enum' ? 'Enum' : field.type,
  native: field.nativeType,
  digits: getDigits(field),
  isList: field.isList,
  nullable: !field.isRequired,
  enumeration: enumerations.get(field.type) ?? null,
  initial: field.isUpdatedAt ? { name: 'now' } : getDefault(field),
  isGenerated: isGenerated(field),
  isOmitted: field.name === searchText,
  isWords: field.type === 'String' && words.has(field.name),
});

const columns = new Map(
  datamodel.models.map(({ name, fields }) => [
    name,
    new Map(fields.filter(({ kind }) => kind !== 'object').map((field) => [field.name, buildColumn(field)])),
  ]),
);

const getColumns = (model: string, names: string[]): Column[] =>
  names.map((name) => {
    const column = columns.get(model)?.get(name);
    if (!column) throw new Error(`${model}.${name} is no column`);
    return column;
  });

/** Only one side of a relation has its fields. */
function buildRelation(model: string, field: Field): Relation {
  const { name, type, isList, isRequired } = field;
  const owning = field.relationFromFields.length > 0;
  const other = datamodel.models
    .find((each) => each.name === type)
    ?.fields.find((each) => each.relationName === field.relationName && !(type === model && each.name === name));
  const [here, there] = owning
    ? [field.relationFromFields, field.relationToFields]
    : [other?.relationToFields ?? [], other?.relationFromFields ?? []];
  return {
    kind: 'relation',
    name,
    model: type as Prisma.ModelName,
    isList,
    nullable: !isRequired,
    here: getColumns(model, here),
    there: getColumns(type, there),
  };
}

/** The name of a model's delegate in Prisma's client: `TimeEntry` → `timeEntry`. */
export const delegateName = <Name extends Prisma.ModelName>(model: Name) =>
  (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<Name>;

/** All tables, by model. */
export const tables: ReadonlyMap<Prisma.ModelName, Table> = new Map(
  datamodel.models.map(({ name, dbName, fields, primaryKey, indexes }) => [
    name as Prisma.ModelName,
    {
      model: name as Prisma.ModelName,
      table: dbName ?? name,
      fields: new Map(
        fields.map((field) => [
          field.name,
          field.kind === 'object'
            ? buildRelation(name, field)
            : (columns.get(name)?.get(field.name) ?? buildColumn(field)),
        ]),
      ),
      primaryKey: getColumns(name, primaryKey),
      indexes,
    },
  ]),
);

export function getTable(model: Prisma.ModelName): Table {
  const table = tables.get(model);
  if (!table) throw new Error(`${model} is no model`);
  return table;
}

/**
 * The fields of a model by which an index has each tenant's rows in the order of lists. Among equal rows, it may leave the order
 * open.
 */
export function getSortedFields(model: Prisma.ModelName): ReadonlySet<string> {
  const isSorted = ([, , third, ...others]: readonly string[]): boolean =>
    third === 'id' || (third === undefined && others.length === 0);
  const { fields, indexes } = getTable(model);
  const isWords = (name: string): boolean => {
    const field = fields.get(name);
    return field?.kind === 'column' && field.isWords;
  };
  const indexed = indexes.filter(isSorted).flatMap(([, field]) => field ?? []);
  return new Set([...indexed.filter((name) => !isWords(name)), ...(indexedWords[model] ?? [])]);
}

/** The fields of a model by whose value an index finds each tenant's rows. */
export const getIndexedFields = (model: Prisma.ModelName): ReadonlySet<string> =>
  new Set(['id', ...getTable(model).indexes.flatMap(([, field]) => field ?? [])]);
