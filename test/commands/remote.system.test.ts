import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { buildOperations, deriveOperations } from '../../src/commands/remote/build-operations.ts';
import { addRemoteCommands } from '../../src/commands/remote/commands.ts';
import { readRetryAfter } from '../../src/commands/remote/connection.ts';
import { getColumns } from '../../src/commands/remote/columns.ts';
import { readOperations } from '../../src/commands/remote/operations.ts';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { version } from '../../schema/version.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { inTerminal } from '../processes/npm.ts';

// The real command line, which the last tests run in processes of its own, against a real service by HTTP.

let service: Service;
let acme: Integrator;
let run: (...args: string[]) => ReturnType<typeof kontor>;
const json = async (...args: string[]): Promise<unknown> => {
  const { code, out, err } = await run(...args, '--json');
  expect({ code, err: err.replaceAll(/^Warning: .*\n/gm, '') }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
};

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  run = (...args) => kontor(args, { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token });
});

/** A server that gives these answers, one for each request, and records the requests. */
async function startScripted(answers: [status: number, headers: Record<string, string>, body: string][]) {
  const requests: { url: string | undefined; authorization: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    requests.push({ url: request.url, authorization: request.headers.authorization });
    const [status, headers, body] = answers.shift() ?? [500, {}, ''];
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('the commands', () => {
  it('are those that `npm run build` derives from the OpenAPI description', () => {
    expect(readOperations()).toEqual(deriveOperations());
  });

  it('are those of the routes: each route is a command, and no two are the same', () => {
    const operations = readOperations();
    const described = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    // `bulk` sends and reads JSON Lines.
    const ofBulk = new Set(['POST /bulk-operations', 'GET /bulk-operations/:id/results']);
    const others = routes.map(([method, path]) => `${method} ${path}`).filter((route) => !ofBulk.has(route));
    expect(described).toEqual(expect.arrayContaining(others));
    const names = operations.map(({ verb, noun }) => `${verb} ${noun}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['get me', 'list time-entries', 'create invoices', 'get customers']));
  });

  it('have an option for each field, also where a field has the name of one of their own options', () => {
    const answer = { type: 'object', properties: { data: { type: 'array', items: {} }, meta: {} } };
    const paths = {
      '/feed': {
        get: {
          operationId: 'listFeed',
          parameters: ['limit', 'token', 'since'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
          responses: { 200: { content: { 'application/json': { schema: answer } } } },
        },
      },
      '/invoices/{id}/issue': { post: { operationId: 'issueInvoice', responses: { 200: {} } } },
    };
    const operations = buildOperations({ paths, components: { schemas: {}, parameters: {} } });
    const program = new Command();
    addRemoteCommands(program, operations);
    const [list, issue] = program.commands.map((command) => command.commands[0]!);
    expect(list!.options.map(({ long }) => long)).toEqual([
      '--limit',
      '--since',
      '--json',
      '--url',
      '--token',
      '--profile',
    ]);
    expect(issue!.parent!.name()).toBe('issue');
    expect([issue!.name(), issue!.registeredArguments.map((argument) => argument.name())]).toEqual([
      'invoices',
      ['id'],
    ]);
  });

  it('show columns that their resources have', () => {
    const lists = readOperations().filter(({ result }) => result === 'list');
    for (const operation of lists)
      for (const column of getColumns(operation)) expect([...operation.fields.keys()]).toContain(column);
    for (const operation of readOperations().filter(({ verb }) => verb === 'list'))
      expect([operation.noun, getColumns(operation)]).not.toEqual([operation.noun, []]);
    const invoices = lists.find(({ noun }) => noun === 'invoices')!;
    expect(getColumns(invoices)).toHaveLength(9);
  });

  it('create, show, change, clear, list, and delete a resource', async () => {
    const create = ['create', 'customers', '--type', 'customer', '--company-name', 'Löwen GmbH'];
    const customer = await json(...create, '--email', 'a@example.com');
    expect(customer).toMatchObject({ type: 'customer', company_name: 'Löwen GmbH', email: 'a@example.com' });
    const { id } = customer as { id: string };
    expect(await json('get', 'customers', id)).toEqual(customer);
    expect(await json('update', 'customers', id, '--city', 'Köln', '--clear', 'email')).toMatchObject({
      id,
      company_name: 'Löwen GmbH',
      city: 'Köln',
      email: null,
    });
    expect(await json('list', 'customers', '--type', 'customer', '--q', 'lowen')).toMatchObject([{ id }]);
    expect(await json('list', 'customers', '--type', 'supplier')).toEqual([]);
    expect(await json('delete', 'customers', id)).toEqual({ id, deleted: true });
    expect((await acme.rest('GET', `/customers/${id}`)).status).toBe(404);
  });

  it('take a body from --data or standard input, and options on top of it', async () => {
    const customer_id = await makeCustomer(acme);
    const body = {
      customer_id,
      invoice_date: '2026-03-01',
      subject: 'From the body',
      items: [{ title: 'Advice', quantity: 1, unit: 'h', unit_price_net: 100, vat_rate: 19 }],
    };
    const create = ['create', 'invoices', '--data'];
    expect(await json(...create, JSON.stringify(body), '--subject', 'Option')).toMatchObject({
      customer_id,
      subject: 'Option',
      total_gross: 119,
    });
    const { code, out } = await kontor(
      [...create, '-', '--json'],
      { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token },
      JSON.stringify(body),
    );
    expect([code, JSON.parse(out).subject]).toEqual([0, 'From the body']);
    const { items, ...rest } = body;
    expect(await json(...create, JSON.stringify(rest), '--items', JSON.stringify(items))).toMatchObject({
      items: [{ title: 'Advice' }],
    });
  });

  it('show decimals exactly as they were answered', async () => {
    const big = '999999999999.123';
    const row = `{"id":"x","amount":${big},"rate":1e2,"zero":-0.0}`;
    await using server = await startScripted([
      [200, {}, `{"data":${row}}`],
      [200, {}, `{"data":[${row}],"links":{"next":null},"meta":{"total":1}}`],
    ]);
    const env = { KONTOR_URL: server.url, KONTOR_TOKEN: 'token' };
    expect((await kontor(['get', 'customers', 'x', '--json'], env)).out).toBe(`${row}\n`);
    expect((await kontor(['list', 'customers', '--json'], env)).out).toBe(`[${row}]\n`);
  });

  it('send decimals exactly as they were given', async () => {
    const project = await json('create', 'projects', '--name', 'Website', '--hourly-rate-net', '1234567890123.45');
    const { rows } = await service.pool.query('select hourly_rate_net::text as rate from projects where id = $1', [
      (project as { id: string }).id,
    ]);
    expect(rows).toEqual([{ rate: expect.stringMatching(/^1234567890123\.450*$/) }]);
  });
});

it('list events and changes, and run transitions', async () => {
  const id = await makeInvoice(acme);
  expect(await json('issue', 'invoices', id)).toMatchObject({ id, number: '2026-0001', status: 'issued' });
  expect(await json('pay', 'invoices', id, '--amount', '19')).toMatchObject({ id, amount_paid: 19, amount_due: 100 });
  expect(await json('list', 'events', '--type', 'invoice.issued')).toMatchObject([{ event: 'invoice.issued' }]);
  expect((await run('list', 'events')).out).toMatch(/^created at +event +id\n/);
  expect(await json('list', 'changes', '--resource', 'invoice,project')).toMatchObject({
    data: [{ resource: 'invoice', id, deleted: false, data: { number: '2026-0001' } }],
    meta: { cursor: expect.any(String), has_more: false },
  });
  expect((await run('list', 'changes')).out).toMatch(/^resource +id +deleted +changed at\ncustomer /);
});

it('create, list, and show a credit note', async () => {
  const id = await makeInvoice(acme, { status: 'ISSUED' });
  const amounts = JSON.stringify([{ vat_rate: 19, net: 50 }]);
  const created = await json('create', 'credit-notes', '--invoice-id', id, '--reason', 'Late', '--amounts', amounts);
  expect(created).toMatchObject({ invoice_id: id, reason: 'Late', total_net: 50, total_gross: 59.5 });
  expect(await json('list', 'credit-notes', '--invoice-id', id)).toEqual([created]);
  expect(await json('get', 'credit-notes', (created as { id: string }).id)).toEqual(created);
  expect((await run('list', 'credit-notes')).out).toMatch(
    /^id +number +invoice number +total gross +currency +credit note date +amount due +reason\n/,
  );
  expect((await run('credit-note', 'pdf', (created as { id: string }).id)).out).toMatch(/^%PDF-/);
});

describe('a list', () => {
  it('has 25 rows, as many as --limit says, or all, over all pages', async () => {
    const names = Array.from({ length: 130 }, (_, at) => `Customer ${at}`);
    const data = names.map((companyName) => ({ type: 'CUSTOMER' as const, companyName }));
    await acme.db.customer.createMany({ data });
    const newestFirst = names.toReversed();
    const list = async (...args: string[]): Promise<string[]> =>
      ((await json('list', 'customers', ...args)) as { company_name: string }[]).map((row) => row.company_name);
    expect(await list()).toEqual(newestFirst.slice(0, 25));
    expect(await list('--limit', '101')).toEqual(newestFirst.slice(0, 101));
    expect(await list('--all')).toEqual(newestFirst);
    const table = await run('list', 'customers', '--limit', '2');
    expect(table.err).toBe('2 of 130 rows. --all lists all, --limit more.\n');
    expect(table.out.split('\n')).toHaveLength(4);
  });

  it('is an aligned table without --json, numbers to the right, and without control characters', async () => {
    const customerId = await makeCustomer(acme);
    const first = await makeInvoice(acme, { customerId, status: 'ISSUED', subject: 'Red \u001b[31m alert' });
    const item = { title: 'Much', quantity: '1000', unit: 'h', unitPriceNet: '100', vatRate: '19' };
    const second = await makeInvoice(acme, { customerId, items: [item] });
    const { code, out, err } = await run('list', 'invoices', '--columns', 'id,number,total_gross,subject');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      [
        'id                                    number     total gross  subject',
        `${second}  –               119000  –`,
        `${first}  2026-0001          119  Red  [31m alert`,
        '',
      ].join('\n'),
    );
  });

  it('has only the chosen columns with --json too, in their order and as the API has their values', async () => {
    const item = { title: 'One', quantity: '1', unitPriceNet: '0.10', vatRate: '19' };
    await makeInvoice(acme, { items: [item] });
    const { code, out, err } = await run('list', 'invoices', '--json', '--columns', 'total_gross, number,metadata');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe('[{"total_gross":0.12,"number":null,"metadata":{}}]\n');
  });

  it('refuses an unknown column, with --json too, and where there are no rows', async () => {
    for (const options of [[], ['--json']]) {
      const { code, out, err } = await run('list', 'invoices', ...options, '--columns', 'id,nonsense');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('There is no column "nonsense". There are: id, ');
    }
  });

  it('fits the terminal: less important columns are left out', async () => {
    await makeInvoice(acme, { subject: 'A long subject '.repeat(10) });
    const line = `stty cols 80; ${process.execPath} src/cli.ts list invoices`;
    const terminal = inTerminal(line, { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token });
    expect((await terminal.exited).code).toBe(0);
    const lines = terminal.out().trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^id +number +status +total gross +currency$/);
    for (const each of lines) expect(each.length).toBeLessThanOrEqual(80);
  });

  it('says that there are no rows, on standard error', async () => {
    expect(await run('list', 'invoices')).toEqual({ code: 0, out: '', err: 'There are no rows.\n' });
  });

  it('follows links.next at the address that the user named, whatever address the link has', async () => {
    const page = (id: string, next: string | null): string =>
      JSON.stringify({ data: [{ id }], links: { next }, meta: { total: 2 } });
    await using server = await startScripted([
      [200, {}, page('a', 'https://elsewhere.example/api/v1/customers?per_page=100&page=2&cursor=xyz')],
      [200, {}, page('b', null)],
    ]);
    const env = { KONTOR_URL: server.url, KONTOR_TOKEN: 'token' };
    const { out } = await kontor(['list', 'customers', '--all', '--json'], env);
    expect(JSON.parse(out)).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/v1/customers?per_page=100',
      '/api/v1/customers?per_page=100&page=2&cursor=xyz',
    ]);
  });
});

it('graphql prints what was answered, also if a part of it failed', async () => {
  const id = await makeCustomer(acme);
  const unknownId = '01890000-0000-7000-8000-000000000000';
  const document = `{ known: customer(id: "${id}") { id } unknown: customer(id: "${unknownId}") { id } }`;
  const { code, out, err } = await run('graphql', document);
  expect({ code, err, data: JSON.parse(out) }).toEqual({
    code: 4,
    err: 'kontor: Not found.\n',
    data: { known: { id }, unknown: null },
  });
  expect(await run('graphql', '{ nothing }')).toMatchObject({ code: 5, out: '' });
});

it('get shows a line for each field, and a table for its lists', async () => {
  const id = await makeInvoice(acme, { status: 'ISSUED' });
  const { out } = await run('get', 'invoices', id);
  expect(out).toMatch(/^number +2026-0001$/m);
  expect(out).toMatch(/^total gross +119$/m);
  expect(out).toMatch(/\n\nitems\nid +position +title .*\n\S+ +1 +Advice .* 100 +19 +100\n\nvat breakdown\n/);
  expect((await run('get', 'me')).out).toMatch(/^tenant\.default currency +EUR$/m);
});

describe('exit codes', () => {
  const unknownId = '01890000-0000-7000-8000-000000000000';

  it.each([
    [2, ['list'], /^Usage: kontor list/],
    [2, ['list', 'unicorns'], /unknown command 'unicorns'/],
    [2, ['get', 'customers'], /missing required argument 'id'/],
    [2, ['list', 'invoices', '--status', 'nonsense'], /Allowed choices are draft, issued, paid, cancelled/],
    [2, ['list', 'invoices', '--limit', '0'], /whole number above 0/],
    [2, ['list', 'invoices', '--limit', '5', '--all'], /cannot be used with/],
    [2, ['create', 'customers', '--data', '{'], /^kontor: --data must be valid JSON\.$/m],
    [2, ['create', 'customers', '--data', '[]'], /^kontor: --data must be a JSON object\.$/m],
    [2, ['create', 'invoices', '--items', 'x'], /^kontor: --items must be valid JSON\.$/m],
    [4, ['get', 'customers', unknownId], /^kontor: Not found\.$/m],
    [4, ['get', 'customers', '../me'], /^kontor: Not found\.$/m],
    [2, ['get', 'customers', ''], /^kontor: <id> is empty\.$/m],
    [2, ['delete', 'attachments', unknownId, '..'], /^kontor: <attachment_id> is no id\.$/m],
    [5, ['list', 'customers', '--q', 'x'.repeat(300)], /^kontor: --q: /m],
  ])('%i: %j', async (code, args, message) => {
    const { out, err, ...rest } = await run(...args);
    expect({ out, ...rest }).toEqual({ out: '', code });
    expect(err).toMatch(message);
  });

  it('5: errors name the fields as the options that gave them', async () => {
    const items = JSON.stringify([{ title: '', quantity: 'x', unit_price_net: 1, vat_rate: 19 }]);
    const create = ['create', 'invoices', '--customer-id', unknownId];
    const { code, out, err } = await run(...create, '--invoice-date', 'soon', '--items', items);
    expect({ code, out }).toEqual({ code: 5, out: '' });
    expect(err.split('\n')[0]).toBe('kontor: The request is refused.');
    expect(err).toMatch(/^kontor: --invoice-date: /m);
    expect(err).toMatch(/^kontor: --items 0\.quantity: /m);
    expect(err).not.toContain('invoice_date');
  });

  it('3: without a token, with a wrong one, and with one that lacks the ability', async () => {
    const reader = await service.integrator({ abilities: ['read'] });
    const create = ['create', 'customers', '--type', 'customer', '--company-name', 'X'];
    const asked = async (token: string, ...args: string[]) => {
      const { code, err } = await kontor(args, { KONTOR_URL: service.url, KONTOR_TOKEN: token });
      return { code, err };
    };
    expect(await asked('', 'get', 'me')).toEqual({
      code: 3,
      err: 'kontor: An API token is needed: set KONTOR_TOKEN, use --token, or run kontor login.\n',
    });
    expect(await asked('wrong', 'get', 'me')).toEqual({
      code: 3,
      err: 'kontor: The API token is missing or not valid.\n',
    });
    expect(await asked(reader.token, ...create)).toEqual({
      code: 3,
      err: 'kontor: This token lacks the ability customers:write.\n',
    });
  });

  it('1: an address that nobody answers, a fault, and an answer that is not the API', async () => {
    const nobody = { KONTOR_URL: 'http://127.0.0.1:1', KONTOR_TOKEN: 'token' };
    expect(await kontor(['get', 'me'], nobody)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^kontor: http:\/\/127\.0\.0\.1:1 can't be reached: .+\n$/),
    });
    const create = ['create', 'customers', '--type', 'customer', '--company-name', 'X'];
    const silent = createServer(({ socket }) => socket.destroy());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const broken = { ...nobody, KONTOR_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const [read, written] = [await kontor(['get', 'me'], broken), await kontor(create, broken)];
    await new Promise((resolve) => silent.close(resolve));
    const unsent = await kontor(create, broken);
    expect(unsent.err).toMatch(/^kontor: \S+ can't be reached: .*ECONNREFUSED.*\n$/);
    expect(read.err).toMatch(/^kontor: \S+ can't be reached: .+\n$/);
    expect(written.err).toMatch(
      /^kontor: \S+ can't be reached: .+\n(?:kontor: )?It may have been done: look before you try again\.\n$/,
    );
    await using server = await startScripted([
      [502, { 'content-type': 'text/html' }, '<h1>Bad Gateway</h1>'],
      [301, { location: 'https://books.example/api/v1/me' }, ''],
      [200, { 'content-type': 'text/html' }, '<h1>Sign in</h1>'],
    ]);
    const env = { KONTOR_URL: server.url, KONTOR_TOKEN: 'token' };
    expect(await kontor(['get', 'me'], env)).toMatchObject({
      code: 1,
      err: `kontor: ${server.url} answered 502, without a reason.\n`,
    });
    expect(await kontor(['get', 'me'], env)).toMatchObject({
      code: 1,
      err: `kontor: ${server.url} redirects to https://books.example. Use that address.\n`,
    });
    expect(await kontor(['graphql', '{ me { user { id } } }'], env)).toMatchObject({
      code: 1,
      err: `kontor: ${server.url} answers, but is no Kontor.\n`,
    });
    const wrong = { KONTOR_URL: `${service.url}/docs`, KONTOR_TOKEN: acme.token };
    for (const command of [
      ['list', 'customers'],
      ['get', 'customers', 'x'],
      ['graphql', '{ me { user { id } } }'],
    ])
      expect(await kontor(command, wrong)).toEqual({
        code: 1,
        out: '',
        err: `kontor: ${service.url}/docs answers, but is no Kontor.\n`,
      });
  });

  it('1: a fault, with the id under which the service has logged it, and an answer that is no resource', async () => {
    const fault = '{"message":"Internal error.","request_id":"019d"}';
    const inGraphql =
      '{"errors":[{"message":"Internal error.","extensions":{"code":"INTERNAL_SERVER_ERROR","requestId":"019d"}}]}';
    await using server = await startScripted([
      [500, {}, fault],
      [200, {}, inGraphql],
      [404, { 'kontor-version': '0.9.0' }, '{"message":"Not found.","request_id":"019d"}'],
      [200, {}, '{"data":{}}'],
      [200, { 'content-type': 'text/html' }, '<h1>Sign in</h1>'],
    ]);
    const env = { KONTOR_URL: server.url, KONTOR_TOKEN: 'token' };
    const withId = { code: 1, out: '', err: 'kontor: Internal error.\nkontor: request_id: 019d\n' };
    expect(await kontor(['get', 'me'], env)).toEqual(withId);
    expect(await kontor(['graphql', '{ me { id } }'], env)).toEqual(withId);
    const oneLine = 'kontor: Not found.\nkontor: The service is Kontor 0.9.0, and this command line ';
    expect((await kontor(['get', 'customers', 'x'], env)).err).toBe(`${oneLine}${version}.\n`);
    expect(await kontor(['get', 'me'], env)).toEqual({
      code: 1,
      out: '',
      err: 'kontor: The service answered something that is no resource.\n',
    });
  });

  it('1: standard output can’t be written, as on a full disk', async () => {
    const line = `${process.execPath} src/cli.ts get me --json > /dev/full`;
    const env = { ...process.env, KONTOR_URL: service.url, KONTOR_TOKEN: acme.token };
    await expect(promisify(execFile)('sh', ['-c', line], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^kontor: The output can't be written: ENOSPC[^\n]*\n$/),
    });
  });
});

it('a 429 is waited for, as long as Retry-After says, and its reason is printed', async () => {
  await using server = await startScripted([
    [429, { 'retry-after': '1', 'x-ratelimit-remaining': '0' }, '{"message":"Too many requests."}'],
    [429, { 'x-ratelimit-remaining': '40' }, '{"message":"A tenant has at most 3 exports that have not ended."}'],
    [429, { 'content-type': 'text/html' }, '<h1>Too many</h1>'],
    [429, { date: 'Sun, 29 Nov 2026 10:00:00 GMT', 'retry-after': 'Sun, 29 Nov 2026 10:00:02 GMT' }, ''],
    [200, {}, '{"data":{"id":"x"}}'],
  ]);
  const env = { KONTOR_URL: server.url, KONTOR_TOKEN: 'token' };
  expect(await kontor(['get', 'me', '--json'], env)).toEqual({
    code: 0,
    out: '{"id":"x"}\n',
    err: `The rate limit is reached. Waiting 1 s.
A tenant has at most 3 exports that have not ended. Waiting 1 s.
The rate limit is reached. Waiting 1 s.
The rate limit is reached. Waiting 2 s.
`,
  });
  expect(server.requests).toHaveLength(5);
});

it('no Retry-After is waited for longer than an hour, nor as long as a timer can’t wait', () => {
  const wait = (retryAfter: string): number => readRetryAfter(new Headers({ 'retry-after': retryAfter }));
  const values = [
    '0',
    '7',
    '100000000',
    'Fri, 01 Jan 2999 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'soon',
    '-5',
  ];
  expect(values.map(wait)).toEqual([1, 7, 3600, 3600, 1, 1, 1]);
});

describe('address and token', () => {
  it('are options before or after the command, and options win over the environment', async () => {
    const env = { KONTOR_URL: 'http://127.0.0.1:1', KONTOR_TOKEN: 'wrong' };
    const given = ['--url', service.url, '--token', acme.token];
    expect((await kontor([...given, 'get', 'me'], env)).code).toBe(0);
    expect((await kontor(['get', 'me', ...given], env)).code).toBe(0);
    expect((await kontor(['get', 'me', '--url', `${service.url}/api/v1/`, '--token', acme.token], env)).code).toBe(0);
  });

  it('never go to a webhook, whose own address has another option', async () => {
    await using receiver = await startScripted([]);
    const events = ['--events', '["invoice.paid"]'];
    const wrong = {
      code: 2,
      out: '',
      err: expect.stringMatching(/^kontor: --url is the address of the installation\. .+ --webhook-url\.\n$/),
    };
    expect(await run('create', 'webhooks', '--url', receiver.url, ...events)).toEqual(wrong);
    const address = 'https://hook.example/kontor';
    const created = (await json('create', 'webhooks', '--webhook-url', address, ...events)) as { id: string };
    expect(created).toMatchObject({ url: address, events: ['invoice.paid'] });
    expect(await run('update', 'webhooks', created.id, '--url', receiver.url)).toEqual(wrong);
    expect(receiver.requests).toEqual([]);
    const moved = ['--data', JSON.stringify({ url: `${address}/2` }), '--url', service.url];
    expect(await json('update', 'webhooks', created.id, ...moved)).toMatchObject({ url: `${address}/2` });
    const described = ['update', 'webhooks', created.id, '--description', 'Shop'];
    expect((await kontor(['--url', service.url, ...described], { KONTOR_TOKEN: acme.token })).code).toBe(0);
  });

  it('are forgotten by logout only where a login has kept them', async () => {
    expect(await kontor(['logout'], { XDG_CONFIG_HOME: '/nonexistent' })).toEqual({
      code: 2,
      out: '',
      err: 'kontor: There is no profile: kontor login makes one.\n',
    });
  });

  it.each([
    ['a line break', 'secret\nvalue', 'http://127.0.0.1:1'],
    ['an address with a password', 'secret-value', 'http://user:secret-value@127.0.0.1:1'],
    ['an address that is none', 'secret-value', 'secret-value'],
    ['an address that nobody answers', 'secret-value', 'http://127.0.0.1:1'],
  ])('are never printed: %s', async (_, token, url) => {
    const env = { KONTOR_URL: url, KONTOR_TOKEN: token, LOG_LEVEL: 'debug' };
    const { code, out, err } = await kontor(['list', 'customers'], env);
    expect(code).not.toBe(0);
    expect(out + err).not.toContain('secret');
    expect((await kontor(['list', 'customers', '--help'], env)).out).not.toContain('secret');
  });
});

it('a list that breaks off as JSON says so, and can’t be taken for a complete one', async () => {
  const next = '/api/v1/customers?cursor=x';
  await using server = await startScripted([
    [200, {}, JSON.stringify({ data: [{ id: 'a' }, { id: 'b' }], meta: { total: 3 }, links: { next } })],
    [404, {}, JSON.stringify({ message: 'No such page.' })],
  ]);
  const env = { KONTOR_URL: server.url, KONTOR_TOKEN: 'secret' };
  const { code, out, err } = await kontor(['list', 'customers', '--all', '--json'], env);
  expect(code).not.toBe(0);
  expect(out).toBe('[{"id":"a"},\n{"id":"b"}\n');
  expect(err).toMatch(/^The list broke off after 2 rows: the output is no complete JSON\.\nkontor: .+\n$/);
});

describe('shell completion', () => {
  it.each(['bash', 'zsh', 'fish'])('there is a script for %s', async (shell) => {
    const { code, out } = await kontor(['completion', shell], {});
    expect(code).toBe(0);
    expect(out).toContain('kontor complete --');
  });

  it('completes commands, resources, options, and the values of options', async () => {
    const complete = async (...words: string[]) => {
      const { out } = await kontor(['complete', '--', ...words], {});
      return out.split('\n').map((line) => line.split('\t')[0]);
    };
    expect(await complete('')).toEqual(expect.arrayContaining(['start', 'tenant', 'restore', 'list', 'create']));
    expect(await complete('list', 'inv')).toContain('invoices');
    expect(await complete('create', 'customers', '--comp')).toContain('--company-name');
    expect(await complete('list', 'invoices', '--status', '')).toEqual(expect.arrayContaining(['draft', 'issued']));
    expect(await complete('token', 're')).toContain('revoke');
  });

  it('in bash, by the script', async () => {
    const script = `
      # Of the package bash-completion, as far as the script uses it.
      _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur="\${words[cword]}" prev="\${words[cword - 1]}"; }
      kontor() { ${process.execPath} src/cli.ts "$@"; }
      source <(kontor completion bash)
      COMP_WORDS=(kontor list inv) COMP_CWORD=2 COMP_LINE='kontor list inv' COMP_POINT=15
      __kontor_complete
      echo "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout.trim()).toMatch(/^invoices/);
  });
});

it('src/bin/kontor runs the command line from any folder, also by a link', async () => {
  const script = 'cd "$(mktemp -d)" && ln -s "$OLDPWD/src/bin/kontor" kontor && ./kontor get me --json';
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    env: { ...process.env, KONTOR_URL: service.url, KONTOR_TOKEN: acme.token },
  });
  expect(JSON.parse(stdout)).toMatchObject({ tenant: { id: acme.tenantId } });
});
