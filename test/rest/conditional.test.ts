import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delegateName } from '../../prisma/client.ts';
import { resources } from '../../schema/resource-list.ts';
import { routes } from '../../rest-shim/routes.ts';
import { createToken } from '../../src/identity/index.ts';
import {
  item,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { makeEach, makeReferences, samples } from '../resources.ts';
import * as sample from './samples.ts';
import { invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? '';
const tagAt = async (path: string): Promise<string> => tagOf(await acme.rest('GET', path));
const versionOf = (tag: string): number => Number(/^"(\d+)-[\w-]{16}"$/.exec(tag)?.[1]);
const ifMatch = (tag: string) => ({ 'if-match': tag });

/** Expects 412 with the resource as GET answers it. */
async function expectConflict(answer: Answer, path: string): Promise<void> {
  const now = await acme.rest('GET', path);
  expect({ status: answer.status, body: answer.body, tag: tagOf(answer) }).toEqual({
    status: 412,
    body: { message: expect.stringMatching(/\S/), request_id: answer.headers.get('x-request-id'), ...now.body },
    tag: tagOf(now),
  });
  expect(answer.text).toContain(now.text.slice(1, -1)); // byte for byte
}

describe('ETag', () => {
  it('is on every answer with one resource, and on no other', async () => {
    const made = await makeEach(acme);
    for (const { path } of resources) {
      const tag = await tagAt(`/${path}/${made[path]}`);
      expect([path, versionOf(tag)]).toEqual([path, 1]);
      expect(tagOf(await acme.rest('GET', `/${path}`))).toBe('');
    }
    expect(await tagAt('/me')).toMatch(/^"[\w-]{16}"$/);
    expect(tagOf(await acme.rest('GET', `/customers/${sample.unknownId}`))).toBe('');
  });

  it('of POST and PATCH is that of GET', async () => {
    const references = await makeReferences(acme);
    for (const { model, path } of resources) {
      const { POST, PATCH } = samples[model].bodies?.(references) ?? {};
      if (!POST) continue;
      const created = await acme.rest('POST', `/${path}`, POST);
      const at = `/${path}/${created.body.data.id}`;
      expect([path, tagOf(created)]).toEqual([path, await tagAt(at)]);
      expect(versionOf(tagOf(created))).toBe(1);
      if (!PATCH) continue;
      const changed = await acme.rest('PATCH', at, { ...PATCH, ...('name' in PATCH ? { name: 'y' } : { city: 'y' }) });
      expect([path, tagOf(changed)]).toEqual([path, await tagAt(at)]);
      expect(versionOf(tagOf(changed))).toBe(2);
    }
  });

  it('of an invoice that is created in any state has the version of the stored row', async () => {
    for (const status of ['draft', 'issued', 'paid']) {
      const created = await acme.rest('POST', '/invoices', { ...sample.invoice(await makeCustomer(acme)), status });
      expect([status, tagOf(created)]).toEqual([status, await tagAt(`/invoices/${created.body.data.id}`)]);
    }
  });

  it('stays while nothing changes, also through a change that changes nothing', async () => {
    const path = `/customers/${await makeCustomer(acme)}`;
    const tag = await tagAt(path);
    expect(await tagAt(path)).toBe(tag);
    expect(tagOf(await acme.rest('PATCH', path, { company_name: 'Globex' }))).toBe(tag);
    expect(await tagAt(path)).toBe(tag);
  });
});

describe('the version grows with every change that a client calls one', () => {
  const draft = () => makeInvoice(acme);
  const issued = () => makeInvoice(acme, { status: 'ISSUED' });
  const booked = () => makeReceipt(acme, { status: 'BOOKED' });
  const mutate = (mutation: string) => (id: string) =>
    acme.graphql(`mutation { ${mutation.replace('ID', `id: "${id}"`)} { id } }`);
  const items = '[{ title: "x", quantity: "1", unitPriceNet: "100", vatRate: "19" }]';

  it.each([
    [
      'items of a draft with the same total',
      'invoices',
      draft,
      mutate(`updateInvoice(ID, input: { items: ${items} })`),
    ],
    ['issue', 'invoices', draft, mutate('issueInvoice(ID)')],
    ['cancel', 'invoices', issued, mutate('cancelInvoice(ID)')],
    ['a payment', 'invoices', issued, mutate('payInvoice(ID, amount: "1")')],
    ['a receipt', 'receipts', booked, mutate('updateReceipt(ID, input: { metadata: { a: "x" } })')],
    ['a payment of a receipt', 'receipts', booked, mutate('payReceipt(ID, amount: "1")')],
    [
      'a time entry',
      'time-entries',
      () => makeTimeEntry(acme),
      mutate('updateTimeEntry(ID, input: { billable: false })'),
    ],
  ] as const)('%s', async (_what, collection, make, change) => {
    const id = await make();
    const before = await tagAt(`/${collection}/${id}`);
    await change(id);
    expect(versionOf(await tagAt(`/${collection}/${id}`))).toBeGreaterThan(versionOf(before));
  });

  it('time that is billed, its invoice that is paid from the bank, and that match undone', async () => {
    const projectId = await makeProject(acme, { customerId: await makeCustomer(acme), hourlyRateNet: '60' });
    const entry = `/time-entries/${await makeTimeEntry(acme, { projectId })}`;
    const unbilled = await tagAt(entry);
    const { billProject } = await acme.graphql(
      `mutation { billProject(projectId: "${projectId}", vatRate: "0") { id } }`,
    );
    expect(versionOf(await tagAt(entry))).toBeGreaterThan(versionOf(unbilled));
    const invoice = `/invoices/${billProject.id}`;
    await acme.rest('POST', `${invoice}/issue`);
    const transaction = await samples.BankTransaction.make(acme);
    const path = `/bank-transactions/${transaction}`;
    for (const mutation of [
      `matchBankTransaction(id: "${transaction}", matches: [{ type: INVOICE, id: "${billProject.id}" }])`,
      `unmatchBankTransaction(id: "${transaction}")`,
    ]) {
      const before = [await tagAt(path), await tagAt(invoice)].map(versionOf);
      await acme.graphql(`mutation { ${mutation} { id } }`);
      const after = [await tagAt(path), await tagAt(invoice)].map(versionOf);
      expect(after[0]).toBeGreaterThan(before[0]!);
      expect(after[1]).toBeGreaterThan(before[1]!);
    }
  });
});

describe('If-None-Match', () => {
  it('that has the tag is answered 304 without a body, by GET and HEAD', async () => {
    const path = `/customers/${await makeCustomer(acme)}`;
    const tag = await tagAt(path);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b",W/${tag} , "c"`, '*', ' * ']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await acme.rest(method, path, undefined, { 'if-none-match': known });
        expect([known, method, answer.status, answer.text, tagOf(answer)]).toEqual([known, method, 304, '', tag]);
        expect(answer.headers.get('x-request-id')).toBeTruthy();
      }
    }
    for (const known of ['"other"', '', tag.slice(1, -1), `W/"x${tag.slice(1)}`, tag.replace('-', '+')]) {
      const answer = await acme.rest('GET', path, undefined, { 'if-none-match': known });
      expect([known, answer.status]).toEqual([known, 200]);
    }
    await acme.rest('PATCH', path, { city: 'Ulm' });
    expect((await acme.rest('GET', path, undefined, { 'if-none-match': tag })).status).toBe(200);
  });

  it('is exact where a body depends on other rows or on the day, while the version stays', async () => {
    const projectId = await makeProject(acme);
    const project = `/projects/${projectId}`;
    const before = await tagAt(project);
    await makeTimeEntry(acme, { projectId });
    const tracked = await acme.rest('GET', project, undefined, { 'if-none-match': before });
    expect([tracked.status, tracked.body.data.tracked_minutes]).toEqual([200, 60]);
    expect(versionOf(tagOf(tracked))).toBe(versionOf(before));
    expect((await acme.rest('PATCH', project, { name: 'New' }, ifMatch(before))).status).toBe(200);

    const invoice = `/invoices/${await makeInvoice(acme, { status: 'ISSUED', dueDate: '2026-03-15' })}`;
    service.clock.now = new Date('2026-03-15T12:00:00Z');
    const due = await tagAt(invoice);
    service.clock.now = new Date('2026-03-16T12:00:00Z');
    const late = await acme.rest('GET', invoice, undefined, { 'if-none-match': due });
    service.clock.now = undefined;
    expect([late.status, late.body.data.is_overdue]).toEqual([200, true]);
    expect(versionOf(tagOf(late))).toBe(versionOf(due));
  });

  it('means nothing to lists, and gives no access', async () => {
    expect((await acme.rest('GET', '/customers', undefined, { 'if-none-match': '*' })).status).toBe(200);
    const any = { 'if-none-match': '*' };
    refusal(await acme.rest('GET', `/customers/${sample.unknownId}`, undefined, any), 404);
    const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['write'] });
    const writer = asIntegrator(service, { ...acme, token, tokenId });
    refusal(await writer.rest('GET', `/customers/${await makeCustomer(acme)}`, undefined, any), 403);
  });
});

describe('If-Match', () => {
  it('that has the current version lets PATCH and DELETE through', async () => {
    const path = `/customers/${await makeCustomer(acme)}`;
    const first = await acme.rest('PATCH', path, { city: 'Ulm' }, ifMatch(await tagAt(path)));
    expect(first.status).toBe(200);
    const second = await acme.rest('PATCH', path, { city: 'Bonn' }, ifMatch(tagOf(first)));
    expect(second.status).toBe(200);
    expect((await acme.rest('PATCH', path, { city: 'Kiel' }, ifMatch('*'))).status).toBe(200);
    const list = `"0-x", ${tagOf(first)}, ${await tagAt(path)}`;
    expect((await acme.rest('DELETE', path, undefined, ifMatch(list))).status).toBe(204);
  });

  it('that has another version is answered 412 with what the resource is now, and changes nothing', async () => {
    for (const { path, model } of resources) {
      if (!routes.some(([method, at]) => method === 'DELETE' && at === `/${path}/:id`)) continue;
      const at = `/${path}/${await samples[model].make(acme)}`;
      const tag = await tagAt(at);
      await (acme.db[delegateName(model)] as typeof acme.db.customer).updateMany({
        where: { id: at.split('/')[2]! },
        data: { updatedAt: new Date() },
      });
      await expectConflict(await acme.rest('DELETE', at, undefined, ifMatch(tag)), at);
      if (routes.some(([method, route]) => method === 'PATCH' && route === `/${path}/:id`))
        await expectConflict(await acme.rest('PATCH', at, {}, ifMatch(tag)), at);
      expect((await acme.rest('DELETE', at, undefined, ifMatch(await tagAt(at)))).status).toBe(204);
    }
  });

  it('shows what the resource is now only to those who may read it', async () => {
    const id = await makeCustomer(acme, { companyName: 'Secret' });
    const path = `/customers/${id}`;
    const { token, id: tokenId } = await createToken(service.client, {
      tenantId: acme.tenantId,
      abilities: ['customers:write'],
    });
    const writer = asIntegrator(service, { ...acme, token, tokenId });
    for (const method of ['PATCH', 'DELETE']) {
      const answer = await writer.rest(method, path, method === 'PATCH' ? {} : undefined, ifMatch('"99-x"'));
      refusal(answer, 412);
      expect([answer.text.includes('Secret'), tagOf(answer)]).toEqual([false, '']);
    }
    const update = (who: Integrator) =>
      who.graphqlAnswer(
        'mutation ($id: UUID!) { updateCustomer(id: $id, input: {}, expectedVersion: 99) { companyName } }',
        { id },
      );
    const conflict = (current: object) => [{ extensions: { code: 'VERSION_CONFLICT', current } }];
    expect((await update(acme)).body.errors).toMatchObject(conflict({ companyName: 'Secret' }));
    const { errors } = (await update(writer)).body;
    expect(errors).toMatchObject(conflict({}));
    expect(JSON.stringify(errors)).not.toContain('Secret');
  });

  it('has no weak tag that matches, and no tag that isn’t one', async () => {
    const path = `/customers/${await makeCustomer(acme)}`;
    const tag = await tagAt(path);
    for (const other of [`W/${tag}`, '"other"', '', 'nonsense', '"99-x"', tag.slice(1, -1), '"0-"', '"01e9-"'])
      await expectConflict(await acme.rest('PATCH', path, { city: 'x' }, ifMatch(other)), path);
    expect((await acme.rest('GET', path)).body.data.city).toBeNull();
  });

  it('comes after 404, 403, 415, and an invalid body', async () => {
    const id = await makeCustomer(acme);
    const stale = ifMatch('"99-x"');
    refusal(await acme.rest('PATCH', `/customers/${sample.unknownId}`, {}, stale), 404);
    refusal(await (await service.integrator()).rest('PATCH', `/customers/${id}`, {}, stale), 404);
    expect(invalidFields(await acme.rest('PATCH', `/customers/${id}`, { zip: 1 }, stale))).toEqual(['zip']);
    refusal(await acme.rest('PATCH', `/customers/${id}`, '{', { ...stale, 'content-type': 'text/plain' }), 415);
    const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['read'] });
    refusal(await asIntegrator(service, { ...acme, token, tokenId }).rest('PATCH', `/customers/${id}`, {}, stale), 403);
  });

  it('works on transitions, and 412 isn’t stored for an Idempotency-Key', async () => {
    for (const [collection, transition, make] of [
      ['invoices', 'issue', () => makeInvoice(acme)],
      ['invoices', 'cancel', () => makeInvoice(acme, { status: 'ISSUED' })],
      ['invoices', 'payments', () => makeInvoice(acme, { status: 'ISSUED' })],
      ['credit-notes', 'refunds', () => makeCreditNote(acme)],
      ['receipts', 'book', () => makeReceipt(acme)],
      ['receipts', 'payments', () => makeReceipt(acme, { status: 'BOOKED' })],
    ] as const) {
      const at = `/${collection}/${await make()}`;
      const key = { 'idempotency-key': randomUUID() };
      const send = (tag: string) => acme.rest('POST', `${at}/${transition}`, {}, { ...ifMatch(tag), ...key });
      await expectConflict(await send('"99-x"'), at);
      const done = await send(await tagAt(at));
      expect([at, transition, done.status, tagOf(done)]).toEqual([at, transition, 200, await tagAt(at)]);
      const again = await send('"99-x"');
      expect([again.status, again.text, tagOf(again)]).toEqual([200, done.text, tagOf(done)]);
    }
  });

  it('lets exactly one of several changes at once through that have one tag', async () => {
    const kinds = fc.array(fc.constantFrom('PATCH', 'DELETE', 'graphql'), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(kinds, async (methods) => {
        const id = await makeCustomer(acme);
        const path = `/customers/${id}`;
        const tag = await tagAt(path);
        const update = `mutation ($city: String!) { updateCustomer(id: "${id}", input: { city: $city }, expectedVersion: ${versionOf(tag)}) { id } }`;
        const answers = await Promise.all(
          methods.map(async (method, at) => {
            if (method !== 'graphql')
              return (await acme.rest(method, path, method === 'PATCH' ? { city: `c${at}` } : undefined, ifMatch(tag)))
                .status;
            const { body } = await acme.graphqlAnswer(update, { city: `c${at}` });
            return body.errors
              ? { VERSION_CONFLICT: 412, NOT_FOUND: 404 }[body.errors[0].extensions.code as string]
              : 200;
          }),
        );
        const won = answers.flatMap((status, at) => (status! < 300 ? [at] : []));
        expect([methods, won.length]).toEqual([methods, 1]);
        const deleted = methods[won[0]!] === 'DELETE';
        for (const [at, status] of answers.entries())
          if (at !== won[0]) expect(deleted ? [404, 412] : [412]).toContain(status);
        const now = await acme.rest('GET', path);
        expect(deleted ? now.status : now.body.data.city).toBe(deleted ? 404 : `c${won[0]}`);
        // One change, one event.
        const events = await acme.db.event.count({ where: { resourceId: id, type: { not: 'customer.created' } } });
        expect(events).toBe(1);
      }),
      { numRuns: 40 },
    );
  });
});

it('browsers of other origins may read the tag, and send the conditions', async () => {
  const origin = 'https://app.example';
  const open = await startService({ corsOrigins: [origin] });
  try {
    const answer = await (await open.integrator()).rest('GET', '/me', undefined, { origin });
    expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain('ETag');
    const preflight = {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'if-match',
    };
    const allowed = await open.request('OPTIONS', `/api/v1/customers/${sample.unknownId}`, { headers: preflight });
    const headers = allowed.headers.get('access-control-allow-headers')?.split(', ');
    expect(headers).toEqual(expect.arrayContaining(['If-Match', 'If-None-Match']));
  } finally {
    await open.close();
  }
});

describe('GraphQL', () => {
  it('answers the version, and refuses a change that expects another one with what the row is now', async () => {
    const id = await makeInvoice(acme, { items: [item] });
    const update = `mutation ($id: UUID!, $input: UpdateInvoiceInput!, $expectedVersion: Int) {
      changed: updateInvoice(id: $id, input: $input, expectedVersion: $expectedVersion) {
        ...Shown customer { companyName } items { title unitPriceNet }
      }
    }
    fragment Shown on Invoice { id version subject totalGross }`;
    const { changed } = await acme.graphql(update, { id, input: { subject: 'Mine' }, expectedVersion: 1 });
    expect(changed).toMatchObject({ version: 2, subject: 'Mine' });
    const stale = await acme.graphqlAnswer(update, { id, input: { subject: 'Theirs' }, expectedVersion: 1 });
    expect(stale.status).toBe(200);
    expect(stale.body).toEqual({
      data: null,
      errors: [
        {
          message: 'This was changed meanwhile.',
          locations: expect.anything(),
          path: ['changed'],
          extensions: { code: 'VERSION_CONFLICT', current: changed },
        },
      ],
    });
  });

  it('answers id and version where the selection has directives', async () => {
    const id = await makeCustomer(acme);
    const { body } = await acme.graphqlAnswer(
      `mutation ($no: Boolean!) { deleteCustomer(id: "${id}", expectedVersion: 7) { id city @skip(if: $no) } }`,
      { no: false },
    );
    expect(body.errors[0].extensions).toEqual({ code: 'VERSION_CONFLICT', current: { id, version: 1 } });
  });

  it('has the argument on every update, deletion, and transition of a resource, and of the company profile', async () => {
    const { __schema } = await acme.graphql('{ __schema { mutationType { fields { name args { name } } } } }');
    const models = [...resources.map(({ model }) => model), 'Company', 'Webhook', 'WebhookSecret'].join('|');
    const conditional = __schema.mutationType.fields
      .filter(({ args }: { args: { name: string }[] }) => args.some(({ name }) => name === 'expectedVersion'))
      .map(({ name }: { name: string }) => name);
    const wanted = __schema.mutationType.fields
      .map(({ name }: { name: string }) => name)
      .filter((name: string) =>
        new RegExp(`^(update|delete|issue|cancel|book|pay|refund|rotate|reverse)(${models})$`).test(name),
      );
    expect(conditional).toEqual(wanted);
    expect(wanted).toHaveLength(24);
  });
});
