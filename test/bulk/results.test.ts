import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeBulkOperation } from '../resources.ts';
import { work } from '../webhooks/receiver.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { doInBulk, readResults } from './operations.ts';

type Json = Record<string, unknown>;

let service: Service;
let worker: Worker;
let acme: Integrator;
let globex: Integrator;
/** An operation of 450 lines in three chunks, of which each tenth is refused, and its results in REST. */
let id: string;
let streamed: Json[];

beforeAll(async () => {
  service = await startService();
  worker = await work(service);
  acme = await service.integrator();
  globex = await service.integrator();
  const lines = Array.from({ length: 450 }, (_, at) => ({
    type: 'customer',
    company_name: at % 10 === 9 ? '' : `No. ${at + 1}`,
    ...(at === 9 && { payment_terms_days: 999 }),
  }));
  const { operation, results } = await doInBulk(acme, { resource: 'customers', action: 'create' }, lines);
  id = String(operation['id']);
  streamed = results;
});
afterAll(async () => {
  await worker.stop();
  await service.close();
});

interface Page {
  nodes: Json[];
  edges: { cursor: string; node: { line: number } }[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  totalCount: number;
}

const query = `query ($id: UUID!, $failed: Boolean, $first: Int, $after: String) {
  bulkOperation(id: $id) {
    results(failed: $failed, first: $first, after: $after) {
      nodes { line status resourceId message details { field code message params } }
      edges { cursor node { line } }
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      totalCount
    }
  }
}`;
const read = async (args: Json = {}, who = acme, ofId = id): Promise<Page> =>
  (await who.graphql(query, { id: ofId, ...args })).bulkOperation.results as Page;

/** GraphQL's result of a line, made from REST's. */
const fromRest = ({ line, status, id: written = null, message = null, details = [] }: Json): Json => ({
  line,
  status,
  resourceId: written,
  message,
  details,
});

describe('the results of a bulk operation in GraphQL', () => {
  it.each([
    ['all', {}, 100],
    ['those that were refused', { failed: true }, 7],
    ['one at a time', { failed: true }, 1],
  ])('are those of REST, page by page: %s', async (_, args: { failed?: boolean }, first) => {
    const expected = args.failed ? await readResults(acme, id, '?failed=true') : streamed;
    expect(expected.length).toBe(args.failed ? 45 : 450);
    const all: Json[] = [];
    let after: string | null = null;
    for (let hasNext = true; hasNext;) {
      const { nodes, edges, pageInfo, totalCount } = await read({ ...args, first, after });
      all.push(...nodes);
      const wanted = Math.min(first, expected.length - all.length + nodes.length);
      expect([nodes.length, totalCount]).toEqual([wanted, expected.length]);
      expect(edges.map(({ node }) => node.line)).toEqual(nodes.map(({ line }) => line));
      expect(pageInfo).toEqual({
        startCursor: edges[0]?.cursor,
        endCursor: edges.at(-1)?.cursor,
        hasNextPage: all.length < expected.length,
        hasPreviousPage: after !== null,
      });
      ({ endCursor: after, hasNextPage: hasNext } = pageInfo);
    }
    expect(all).toEqual(expected.map(fromRest));
  });

  it('have the details of each problem, by its name in the line', async () => {
    const { nodes } = await read({ failed: true, first: 1 });
    expect(nodes).toEqual([
      {
        line: 10,
        status: 422,
        resourceId: null,
        message: expect.stringContaining('(and 1 more)') as string,
        details: [
          { field: 'company_name', code: 'required', message: 'Must not be empty.', params: {} },
          {
            field: 'payment_terms_days',
            code: 'out_of_range',
            message: 'Must be from 0 to 365.',
            params: { min: 0, max: 365 },
          },
        ],
      },
    ]);
  });

  it('have 25 lines by default, and none while none is done', async () => {
    expect((await read()).nodes.map(({ line }) => line)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    const waiting = await read({}, acme, await makeBulkOperation(acme));
    expect([waiting.nodes, waiting.totalCount, waiting.pageInfo.hasNextPage]).toEqual([[], 0, false]);
  });

  it('of another tenant are null, with its cursors, too; nor do its cursors show anything in an own list', async () => {
    const { pageInfo } = await read({ first: 30 });
    for (const args of [{}, { after: pageInfo.endCursor }, { failed: true }]) {
      const { status, body } = await globex.graphqlAnswer(query, { id, ...args });
      expect([status, body.data, body.errors]).toMatchObject([
        200,
        { bulkOperation: null },
        [{ extensions: { code: 'NOT_FOUND' } }],
      ]);
    }
    const own = await makeBulkOperation(globex);
    expect((await read({ after: pageInfo.endCursor }, globex, own)).nodes).toEqual([]);
  });

  it('refuse another page size, and what is no cursor of theirs', async () => {
    const forge = (text: string): string => Buffer.from(text).toString('base64url');
    for (const [args, path, message] of [
      [{ first: 0 }, 'first', 'Must be from 1 to 100.'],
      [{ first: 101 }, 'first', 'Must be from 1 to 100.'],
      [{ after: '' }, 'after', 'Must be a cursor of this list.'],
      [{ after: forge('0 99999999999999') }, 'after', 'Must be a cursor of this list.'],
      [{ after: forge('-1 0') }, 'after', 'Must be a cursor of this list.'],
    ] as const)
      expect(refusal(await acme.graphqlAnswer(query, { id, ...args })).errors).toEqual({ [path]: [message] });
    expect((await read({ after: forge('9999999 9999999') })).nodes).toEqual([]);
  });

  it('after a line that its chunk doesn’t have are those of the next chunk, so that not all chunks are read', async () => {
    const after = Buffer.from('0 9999999').toString('base64url');
    for (const failed of [false, true]) {
      const { nodes } = await read({ after, failed, first: 1 });
      const { number, firstLine } = await acme.db.bulkChunk.findFirstOrThrow({
        where: { operationId: id, number: { gt: 0 } },
        orderBy: { number: 'asc' },
      });
      expect([number, nodes.map(({ line }) => line)]).toEqual([1, [failed ? firstLine + 9 : firstLine]]);
    }
  });

  it('cost what a page may have to decompress for them', async () => {
    const document = (args: string): string =>
      `{ bulkOperations(first: 100) { nodes { results${args} { nodes { line } } } } }`;
    const refused = await acme.graphqlAnswer(document('(failed: true, first: 25)'));
    expect(refused.body.errors?.[0]?.extensions?.['code']).toBe('TOO_COSTLY');
    expect((await acme.graphqlAnswer(document('(failed: true, first: 1)'))).body.errors).toBeUndefined();
  });

  it('cost that also in a query that is compiled, because it was sent several times without `failed`', async () => {
    const costly = `query ($failed: Boolean) {
      bulkOperations(first: 100) { nodes { results(failed: $failed, first: 25) { nodes { line } } } }
    }`;
    const ask = async (failed: boolean | null) => (await acme.graphqlAnswer(costly, { failed })).body;
    for (const failed of [false, null, false, null, false, false]) {
      expect((await ask(failed)).errors).toBeUndefined();
    }
    expect((await ask(true)).errors?.[0]?.extensions?.['code']).toBe('TOO_COSTLY');
    expect((await ask(false)).errors).toBeUndefined();
  });
});
