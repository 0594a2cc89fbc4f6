import { readFileSync } from 'node:fs';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
} from 'graphql';
import { expect, it } from 'vitest';
import { parseDeprecation } from '../../schema/graphql/deprecation.ts';
import { toSchema } from '../../schema/index.ts';
import { printSdl } from '../../schema/graphql/print-sdl.ts';
import { listPlaces, takesId } from './questions.ts';

const schema = toSchema();
const ours = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

it('schema/schema.graphql is up to date: if not, run `npm run sdl`', () => {
  expect(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8')).toBe(printSdl(toSchema()));
});

it('names follow GraphQL’s conventions: camelCase fields, UPPER_CASE enum values', () => {
  for (const type of ours) {
    expect(type.name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    if (isEnumType(type)) for (const { name } of type.getValues()) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
    if (isObjectType(type) || isInputObjectType(type)) {
      for (const name of Object.keys(type.getFields())) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
    }
  }
});

it('an enum’s values have the same names as in the database', () => {
  const values = ours.filter(isEnumType).flatMap((type) => type.getValues());
  expect(values.length).toBeGreaterThan(20);
  for (const { name, value } of values) expect(value).toBe(name);
});

it('every type, field, argument, and value is described', () => {
  const undescribed = (path: string, { description }: { description?: string | null }) => (description ? [] : [path]);
  /** A filter compares columns, which the rows' type describes. */
  const isDescribedByRows = (typeName: string, name: string): boolean => {
    const rows = schema.getType(typeName.replace(/Filter$/, ''));
    return typeName.endsWith('Filter') && isObjectType(rows) && Boolean(rows.getFields()[name]?.description);
  };
  const missing = ours.flatMap((type) => [
    ...undescribed(type.name, type),
    ...(isEnumType(type) ? type.getValues().flatMap((value) => undescribed(`${type.name}.${value.name}`, value)) : []),
    ...(isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : []).flatMap((field) => {
      const path = `${type.name}.${field.name}`;
      const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
      return [
        ...(isDescribedByRows(type.name, field.name) ? [] : undescribed(path, field)),
        ...args.flatMap((arg) => undescribed(`${path}(${arg.name})`, arg)),
      ];
    }),
  ]);
  expect(missing).toEqual([]);
});

it('a list’s filter is described as one of its own rows, not as one of another list that it was copied from', () => {
  const described = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args, type }) =>
    /Connection!?$/.test(String(type))
      ? args.flatMap(({ description }) => {
          const [, rows] = /^Only ([a-z ]+?) (?:of|to) (?:this|events)/.exec(description ?? '') ?? [];
          return rows === undefined
            ? []
            : [{ list: name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), rows }];
        })
      : [],
  );
  expect(described.length).toBeGreaterThan(3);
  for (const { list, rows } of described) expect(rows).toBe(list);
});

it('a deprecation has the dates of deprecation and removal', () => {
  for (const { parent, field } of listPlaces(schema)) {
    for (const { name, deprecationReason } of [field, ...field.args]) {
      expect(() => parseDeprecation(deprecationReason), `${parent.name}.${field.name} ${name}`).not.toThrow();
    }
  }
});

it('an input’s description has its bounds', () => {
  const said = (type: string, name: string) => {
    const input = schema.getType(type);
    return isInputObjectType(input) ? input.getFields()[name]?.description : undefined;
  };
  expect(said('CreateCustomerInput', 'postalCode')).toMatch(/ At most 20 characters\.$/);
  expect(said('CreateTimeEntryInput', 'durationMinutes')).toMatch(/ 1 to 1440\.$/);
  expect(said('InvoiceItemInput', 'vatRate')).toMatch(/ 0 to 100\. At most 2 decimals\.$/);
  expect(said('CreateInvoiceInput', 'items')).toMatch(/ 1 to 500 of them\.$/);
});

it('the scalars are Date, DateTime, Decimal, UUID, and those of GraphQL', () => {
  const custom = ours.filter((type) => 'serialize' in type && !isEnumType(type)).map(({ name }) => name);
  expect(custom.toSorted()).toEqual(
    expect.arrayContaining(['Boolean', 'Date', 'DateTime', 'Decimal', 'Int', 'String', 'UUID']),
  );
  // There is no binary floating point. Ids are UUIDs, but for objects' own ids (nodes.test.ts).
  for (const { parent, field } of listPlaces(schema)) {
    for (const { name, type } of [field, ...field.args]) {
      const isOwnId = ['id', 'nodeId', 'ids'].includes(name);
      expect(`${parent.name}.${field.name}: ${getNamedType(type).name}`).not.toMatch(
        isOwnId ? /: Float$/ : /: (Float|ID)$/,
      );
    }
  }
});

it('every list of a resource is a connection, with one list field per resource', () => {
  const query = Object.values(schema.getQueryType()!.getFields());
  const connections = query.map(({ type }) => getNamedType(type).name).filter((name) => name.endsWith('Connection'));
  expect(new Set(connections).size).toBe(connections.length);
  for (const { name, args, type } of query) {
    if (!getNamedType(type).name.endsWith('Connection')) continue;
    const page = ['after', 'before', 'first', 'last', 'offset'];
    expect([
      name,
      ...args
        .map((arg) => arg.name)
        .filter((arg) => page.includes(arg))
        .toSorted(),
    ]).toEqual([name, ...page]);
    const connection = getNamedType(type);
    if (isObjectType(connection))
      expect(Object.keys(connection.getFields()).toSorted()).toEqual(['edges', 'nodes', 'pageInfo', 'totalCount']);
  }
});

it('a query by an id is nullable: if it fails, the other fields of its document are answered', () => {
  const byId = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(takesId);
  expect(byId.length).toBeGreaterThan(15);
  expect(byId.flatMap(({ name, type }) => (isNonNullType(type) ? [name] : []))).toEqual([]);
});
