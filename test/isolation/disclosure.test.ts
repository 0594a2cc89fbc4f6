import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCustomer, makeInvoice, makePayment, makeProject, makeReceipt, makeTimeEntry } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { item } from '../rest/samples.ts';
import { fill } from './books.ts';

// Nothing else tells of other tenants either: no count, no number's gap, no error's text, no line of the log.

let service: Service;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  service = await startService();
  [acme, globex] = [await service.integrator(), await service.integrator({ name: 'Globex' })];
});
afterAll(() => service.close());

const collections = ['customers', 'invoices', 'receipts', 'projects', 'time-entries', 'bank-transactions'];
const lists = ['customers', 'invoices', 'receipts', 'projects', 'timeEntries', 'bankTransactions'];

/** All that a tenant can count. */
async function counted(who: Integrator): Promise<unknown> {
  const totals = await Promise.all(collections.map(async (at) => (await who.rest('GET', `/${at}`)).body.meta));
  const sum = '{ currency amount count }';
  const { overview } = await who.graphql(
    `{ overview { outstanding ${sum} overdue ${sum} paidThisMonth ${sum} unbilledMinutes unmatchedTransactions } }`,
  );
  return { totals, overview };
}

describe('counts', () => {
  it('of one tenant don’t change when another tenant writes', async () => {
    await fill(acme);
    const before = await counted(acme);
    await fill(globex);
    const customerId = await makeCustomer(globex);
    for (let count = 0; count < 5; count += 1) {
      await makePayment(globex, await makeInvoice(globex, { customerId, status: 'ISSUED' }));
    }
    await makeTimeEntry(globex, { projectId: await makeProject(globex) });
    await makeReceipt(globex);
    expect(await counted(acme)).toEqual(before);
  });

  it('are of the tenant’s own rows in every list', async () => {
    const query = `{ ${lists.map((name) => `${name} { totalCount nodes { id } }`).join(' ')} }`;
    const [mine, theirs] = [await acme.graphql(query), await globex.graphql(query)];
    for (const name of lists) {
      expect([name, mine[name].totalCount]).toEqual([name, mine[name].nodes.length]);
      const ids = new Set(theirs[name].nodes.map(({ id }: { id: string }) => id));
      expect(mine[name].nodes.filter(({ id }: { id: string }) => ids.has(id))).toEqual([]);
    }
  });
});

it('invoice numbers have no gaps in each tenant when tenants alternate and when invoices fail or are deleted', async () => {
  const [one, other] = [await service.integrator(), await service.integrator()];
  const number = async (who: Integrator): Promise<string> => {
    const customerId = await makeCustomer(who);
    const failing = await who.graphqlAnswer(
      `mutation ($id: UUID!) { createInvoice(input: { customerId: $id, invoiceDate: "2026-03-01", status: ISSUED, items: [] }) { id } }`,
      { id: customerId },
    );
    expect(failing.body.errors).toHaveLength(1);
    await who.rest('DELETE', `/invoices/${await makeInvoice(who, { customerId })}`);
    const body = { customer_id: customerId, invoice_date: '2026-03-01', items: [item], status: 'issued' };
    return (await who.rest('POST', '/invoices', body)).body.data.number;
  };
  const turns = Array.from({ length: 12 }, (_each, turn) => (turn % 3 === 0 ? other : one));
  const numbers = new Map([
    [one, [] as string[]],
    [other, [] as string[]],
  ]);
  await Promise.all(turns.map(async (who) => numbers.get(who)!.push(await number(who))));
  const expected = (count: number) =>
    Array.from({ length: count }, (_each, index) => `2026-${String(index + 1).padStart(4, '0')}`);
  expect(numbers.get(one)!.toSorted()).toEqual(expected(8));
  expect(numbers.get(other)!.toSorted()).toEqual(expected(4));
});

it('tenants share no sequence, except for row counts, whose ids no answer has', async () => {
  const { rows } = await service.pool.query(`
    select format('%I.%I', table_schema, table_name) as name from information_schema.columns
    where table_schema = 'public' and (is_identity = 'YES' or column_default like 'nextval%')`);
  expect(rows).toEqual([{ name: 'public.row_counts' }]);
});

describe('the log', () => {
  it('of a request has nothing of another tenant, when they run concurrently or fail', async () => {
    [acme, globex] = [await service.integrator(), await service.integrator({ name: 'Globex' })];
    const [mine, theirs] = [await fill(acme), await fill(globex)];
    const asked = new Map<string, Integrator>();
    const note = (who: Integrator, { headers }: { headers: Headers }): void =>
      void asked.set(headers.get('x-request-id')!, who);
    const ask = async (who: Integrator, own: typeof mine, foreign: typeof mine): Promise<void> => {
      for (const id of [...Object.values(own), ...Object.values(foreign)]) {
        note(who, await who.rest('GET', `/invoices/${id}`));
        note(who, await who.rest('POST', '/projects', { name: 'x', customer_id: id }));
        note(who, await who.graphqlAnswer('mutation ($id: UUID!) { deleteCustomer(id: $id) { id } }', { id }));
      }
    };
    const logged = service.log.length;
    await Promise.all([ask(acme, mine, theirs), ask(globex, theirs, mine)]);
    await service.pool.query('alter table projects rename to gone');
    const failing = [acme, globex].flatMap((who) =>
      Array.from({ length: 5 }, async () => {
        note(who, await who.rest('POST', '/projects', { name: 'x' }));
        note(who, await who.graphqlAnswer('{ projects { totalCount nodes { id } } }'));
      }),
    );
    await Promise.all(failing).finally(() => service.pool.query('alter table gone rename to projects'));

    const lines = service.log.slice(logged).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ level }) => level === 50).length, 'faults were logged').toBeGreaterThan(10);
    for (const { path: _whatWasAskedFor, ...line } of lines) {
      const who = asked.get(String(line['requestId']));
      if (!who) throw new Error(`A line of no request: ${JSON.stringify(line)}`);
      const [stranger, ids] = who === acme ? [globex, theirs] : [acme, mine];
      const text = JSON.stringify(line);
      for (const id of [stranger.tenantId, stranger.userId, stranger.tokenId, stranger.token, ...Object.values(ids)])
        expect({ text, tells: text.includes(id) }).toEqual({ text, tells: false });
    }
  });
});

describe('global tables (users, memberships, sessions, tokens)', () => {
  const tables = ['users', 'memberships', 'sessions', 'api_tokens', 'invitations'];
  const models = ['user', 'membership', 'session', 'apiToken', 'invitation'];

  it('are used only by identity’s own code', () => {
    const files = execFileSync('git', ['ls-files', 'src', 'schema', 'rest-shim', 'prisma'], { encoding: 'utf8' });
    const code = files.split('\n').filter((file) => file.endsWith('.ts') && !file.startsWith('src/identity/'));
    const names = new RegExp(
      `\\b(?:client|db|prisma)\\.(?:${models.join('|')})\\.\\w+\\(|\\b(?:from|into|update|join) "?(?:${tables.join('|')})\\b`,
      'i',
    );
    expect(code.length).toBeGreaterThan(50);
    expect(names.test(readFileSync('src/identity/users.ts', 'utf8')), 'it finds what it looks for').toBe(true);
    expect(code.filter((file) => names.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it.each(tables)(
    '%s: the role of requests and jobs may do nothing with it, nor with a column of it',
    async (table) => {
      const { rows } = await service.pool.query(
        `select has_any_column_privilege('kontor_books', $1, 'select, insert, update, references') as columns,
         has_table_privilege('kontor_books', $1, 'select, insert, update, delete, truncate, references, trigger') as all`,
        [table],
      );
      expect(rows).toEqual([{ columns: false, all: false }]);
    },
  );

  it('the role can call no function that runs as its owner', async () => {
    const { rows } = await service.pool.query(`
      select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = pronamespace
      where prosecdef and n.nspname not in ('pg_catalog', 'information_schema')
        and prorettype <> 'trigger'::regtype and has_function_privilege('kontor_books', p.oid, 'execute')
        and has_schema_privilege('kontor_books', n.oid, 'usage')`);
    expect(rows).toEqual([]);
  });
});
