import type { Prisma } from './generated/client/client.ts';
import { datamodel } from './generated/datamodel.ts';

/** A field that is a column. */
export interface Column {
  kind: 'column';
  /** As Prisma has it, and as PostgreSQL does, unquoted. */
  name: string;
  column: string;
  /** Prisma's type: `String`, `Decimal`; an enum's is `Enum`. */
  type: string;
  /** What `@db.` says: `Uuid`; null where nothing. */
  native: string | null;
  isList: boolean;
  nullable: boolean;
  /** What PostgreSQL calls an enum's type, and its values by Prisma's names; null where it is none. */
  enumeration: { type: string; values: ReadonlyMap<string, string> } | null;
  /** Prisma's default: a value, or the name of its function; null where there is none. */
  initial: unknown;
  /** Whether PostgreSQL fills it in from others: it is never written, and read only where it is named. */
  isGenerated: boolean;
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
  /** As PostgreSQL has it, unquoted. */
  table: string;
  fields: ReadonlyMap<string, Column | Relation>;
  primaryKey: Column[];
}

/** The field that has a row's searched fields, in every model that is searched. */
const searchText = 'searchText';

type Field = (typeof datamodel.models)[number]['fields'][number];

const enumerations = new Map(
  datamodel.enums.map(({ name, dbName, values }) => [
    name,
    { type: dbName ?? name, values: new Map(values.map((value) => [value.name, value.dbName ?? value.name])) },
  ]),
);

const columnOf = (field: Field): Column => ({
  kind: 'column',
  name: field.name,
  column: field.dbName ?? field.name,
  type: field.kind === 'enum' ? 'Enum' : field.type,
  native: field.nativeType,
  isList: field.isList,
  nullable: !field.isRequired,
  enumeration: enumerations.get(field.type) ?? null,
  initial: field.isUpdatedAt ? { name: 'now' } : field.default,
  isGenerated: field.name === searchText,
});

const columns = new Map(
  datamodel.models.map(({ name, fields }) => [
    name,
    new Map(fields.filter(({ kind }) => kind !== 'object').map((field) => [field.name, columnOf(field)])),
  ]),
);

const columnsOf = (model: string, names: string[]): Column[] =>
  names.map((name) => {
    const column = columns.get(model)?.get(name);
    if (!column) throw new Error(`${model}.${name} is no column`);
    return column;
  });

/** Only one side of a relation has its fields. */
function relationOf(model: string, field: Field): Relation {
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
    here: columnsOf(model, here),
    there: columnsOf(type, there),
  };
}

/** The name of a model's delegate in Prisma's client: `TimeEntry` → `timeEntry`. */
export const delegateName = <Name extends Prisma.ModelName>(model: Name) =>
  (model.charAt(0).toLowerCase() + model.slice(1)) as Uncapitalize<Name>;

/** Every model's. */
export const tables: ReadonlyMap<Prisma.ModelName, Table> = new Map(
  datamodel.models.map(({ name, dbName, fields, primaryKey }) => [
    name as Prisma.ModelName,
    {
      model: name as Prisma.ModelName,
      table: dbName ?? name,
      fields: new Map(
        fields.map((field) => [
          field.name,
          field.kind === 'object' ? relationOf(name, field) : (columns.get(name)?.get(field.name) ?? columnOf(field)),
        ]),
      ),
      primaryKey: columnsOf(name, primaryKey),
    },
  ]),
);

export function tableOf(model: Prisma.ModelName): Table {
  const table = tables.get(model);
  if (!table) throw new Error(`${model} is no model`);
  return table;
}
