import { readdirSync, readFileSync } from 'node:fs';
import {
  buildSchema,
  execute,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  Kind,
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileOperations, parseOperations, runOperation, type Operation } from '../../rest-shim/operation.ts';
import { routes } from '../../rest-shim/routes.ts';
import { isWholeObject } from '../../rest-shim/naming.ts';
import { toSnakeCase } from '../../rest-shim/snake-case.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { startExecution } from '../../schema/graphql/execution/compile-selection.ts';
import { toSchema } from '../../schema/index.ts';
import { fillAtRandom } from '../query-compiler/rows.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { withHolder } from '../../prisma/client.ts';

// REST writes its answers directly from the resolvers' results. They must equal, byte for byte, the results of graphql-js
// for the same documents, with the names of REST.

let service: Service;
let acme: Integrator;
let context: Context;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const pool = new Pool({ connectionString: service.pool.options.connectionString, max: 1 });
  await fillAtRandom(pool, [acme.tenantId]);
  // Some rows keep an invalid currency, or an invalid VAT breakdown: their totals are errors.
  for (const table of ['invoices', 'receipts'])
    await pool.query(`update ${table} set currency = 'EUR' where right(id::text, 1) <> '7'`);
  await pool.query(
    `update credit_notes set invoice_id = (select id from invoices where tenant_id = $1 order by id limit 1),
      vat_breakdown = '[{"vat_category": "S", "vat_rate": "19", "net": "100", "vat": "19", "exemption_reason": null}]'
     where tenant_id = $1 and right(id::text, 1) <> '7'`,
    [acme.tenantId],
  );
  await pool.end();
  const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: acme.tenantId } });
  context = service.domain.contextFor({
    user: { id: acme.tenantId, name: 'x', email: 'x@example.com' },
    tenant: withHolder(tenant),
    token: null,
  });
});
afterAll(() => service.close());

const folder = new URL('../../rest-shim/operations/', import.meta.url);
const all = parseOperations(
  toSchema(),
  readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8')),
);
const documentOf = (name: string): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: all.definitions.filter(
    (each) => each.kind === Kind.FRAGMENT_DEFINITION || ('name' in each && each.name?.value === name),
  ),
});

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Objects that are answered as they are stored: a result has their number here. */
const wholes: string[] = [];

/** A GraphQL result with the names of REST. */
function inRest(type: GraphQLOutputType, value: unknown): unknown {
  const nullable = getNullableType(type);
  if (value === null) return null;
  if (isListType(nullable)) return (value as unknown[]).map((each) => inRest(nullable.ofType, each));
  if (isObjectType(nullable)) {
    const entries = Object.entries(value as object);
    const [only, ...others] = entries;
    if (only && others.length === 0 && isWholeObject(getNamedType(nullable.getFields()[only[0]]!.type)))
      return `whole ${wholes.push(only[1] as string) - 1}`;
    return Object.fromEntries(
      entries.map(([name, part]) => [toSnakeCase(name), inRest(nullable.getFields()[name]!.type, part)]),
    );
  }
  if (isEnumType(nullable))
    return nullable.getValue(String(value))?.extensions['restName'] ?? String(value).toLowerCase();
  return getNamedType(nullable).name === 'Decimal' ? rawJSON(String(value)) : value;
}

type Outcome = { text: string } | { faults: string[] };

async function byGraphql(operation: Operation, variables: Record<string, unknown>, asking: Context): Promise<Outcome> {
  const { schema } = service.domain;
  const document = documentOf(operation.name);
  const { data, errors } = await execute({ schema, document, variableValues: variables, contextValue: { ...asking } });
  if (errors) return { faults: errors.map(({ message }) => message) };
  const text = JSON.stringify(inRest(operation.field.type, data!['result']));
  return { text: text.replaceAll(/"whole (\d+)"/g, (_, number) => wholes[Number(number)] ?? '') };
}

async function byRest(operation: Operation, variables: Record<string, unknown>, asking: Context): Promise<Outcome> {
  const own = { ...asking };
  try {
    return {
      text: await operation.listShape.write(await runOperation(operation, variables, own), startExecution(own)),
    };
  } catch (error) {
    return { faults: [(error as Error).message] };
  }
}

async function both(operation: Operation, variables: Record<string, unknown>, asking = context): Promise<Outcome> {
  const [ours, theirs] = [await byRest(operation, variables, asking), await byGraphql(operation, variables, asking)];
  if ('faults' in theirs) expect(theirs.faults).toEqual(expect.arrayContaining((ours as { faults: string[] }).faults));
  else expect(ours).toEqual(theirs);
  return ours;
}

const operationsOf = (answer: string): Operation[] =>
  routes
    .filter((route) => route[0] === 'GET' && route[3] === answer && !route[1].includes('/attachments')) // of a receipt
    .map((route) => service.domain.operations.get(route[2])!);

describe('REST writes the same as GraphQL', () => {
  it('for every list, with any page', async () => {
    const texts = new Map<string, number>();
    for (const operation of operationsOf('page')) {
      for (const page of [
        { first: 100 },
        { first: 1 },
        { first: 3, offset: 4 },
        { last: 2 },
        { first: 5, offset: 100 },
      ]) {
        const outcome = await both(operation, page);
        if ('text' in outcome) texts.set(operation.name, (texts.get(operation.name) ?? 0) + 1);
      }
      await both(operation, { first: 1 }, { ...context, may: () => false });
      await both(operation, { first: 1000 });
    }
    expect(Math.min(...texts.values())).toBeGreaterThan(1);
    expect(texts.size).toBe(operationsOf('page').length);
  });

  it('for every resource, and for an unknown id', async () => {
    let [written, refused] = [0, 0];
    const period = { from: '2026-01-01', to: '2026-12-31' };
    const row = { kind: 'OUTPUT', vatCategory: 'S', vatRate: '19', currency: 'EUR' };
    const ofReports: Record<string, Record<string, unknown>> = {
      getOpenItems: { at: '2026-12-31' },
      getProfitAndLoss: period,
      getProfitAndLossDocuments: { ...period, kind: 'REVENUE', currency: 'EUR' },
      getEcSales: period,
      getEcSalesDocuments: { ...period, kind: 'GOODS', currency: 'EUR' },
      getVatReport: period,
      getPeriodLocks: {},
      getPeriodLockCheck: { until: '2026-12-31' },
      getVatReportDocuments: { ...period, ...row },
    };
    for (const operation of operationsOf('item')) {
      for (let at = 9; at < 22; at++) {
        const outcome = await both(
          operation,
          ofReports[operation.name] ?? {
            id: `01900000-0000-7000-8000-0000000000${String(at).padStart(2, '0')}`,
          },
        );
        if ('text' in outcome) written += 1;
        else refused += 1;
      }
    }
    expect(written).toBeGreaterThan(50);
    expect(refused).toBeGreaterThan(10);
  });

  it('over HTTP, as `data` of the envelope', async () => {
    const operation = service.domain.operations.get('listCustomers')!;
    const { nodes } = JSON.parse(((await both(operation, { first: 25 })) as { text: string }).text) as {
      nodes: unknown;
    };
    const { text } = await acme.rest('GET', '/customers');
    expect(text).toContain(`{"data":${JSON.stringify(nodes)},"links":{`);
  });
});

describe('a document', () => {
  const schema = buildSchema(`
    type Query { thing: Thing! }
    type Thing { name: String!, other: Thing, others(first: Int): [Thing!]! }
  `);
  const resolving = (fields: Record<string, () => unknown>): void => {
    const thing = schema.getType('Thing') as GraphQLObjectType;
    for (const field of Object.values(thing.getFields())) field.resolve = fields[field.name] ?? (() => null);
    schema.getQueryType()!.getFields()['thing']!.resolve = () => ({});
  };
  const answerTo = async (selection: string): Promise<string> => {
    const operation = compileOperations(schema, [`query get { result: thing { ${selection} } }`]).get('get')!;
    return operation.shape.write(await runOperation(operation, {}, context), startExecution(context));
  };

  it.each(['alias: name', '... on Thing { name }', 'name @include(if: true)', 'others(first: 1) { name }'])(
    'with anything but plain fields is an error at startup: %s',
    (selection) => {
      expect(() => compileOperations(schema, [`query get { result: thing { ${selection} } }`])).toThrow('plain fields');
    },
  );

  it('may have fields that resolve to promises', async () => {
    resolving({ name: () => Promise.resolve('x'), others: () => [{}, Promise.resolve({})], other: () => null });
    expect(await answerTo('name others { name } other { name }')).toBe(
      '{"name":"x","others":[{"name":"x"},{"name":"x"}],"other":null}',
    );
  });

  it('fails as a whole with its first error, and leaves no promise rejection unhandled', async () => {
    const unheard: unknown[] = [];
    const hear = (fault: unknown): void => void unheard.push(fault);
    process.on('unhandledRejection', hear);
    const fail = (message: string) => () => Promise.reject(new Error(message));
    resolving({ name: fail('first'), others: () => [{}, null] });
    await expect(answerTo('name others { name }')).rejects.toThrow(
      /^(first|Cannot return null for non-nullable field)/,
    );
    resolving({ name: fail('first'), other: () => new Error('second') });
    await expect(answerTo('name other { name }')).rejects.toThrow(/^(first|second)$/);
    await new Promise(setImmediate);
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });

  it('answers null for a nullable field, and fails for a non-nullable one', async () => {
    resolving({ name: () => null });
    expect(await answerTo('other { name }')).toBe('{"other":null}');
    await expect(answerTo('name')).rejects.toThrow('Cannot return null for non-nullable field Thing.name.');
  });
});
