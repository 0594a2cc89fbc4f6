import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../schema/events/events.ts';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { emitOverdue } from '../../schema/resources/invoice/overdue.ts';
import { SampleBooks } from '../../src/commands/webhooks/sample-books.ts';
import { triggers } from '../../src/commands/webhooks/trigger.ts';
import { demoEmail, demoTenant } from '../../src/demo/tenants.ts';
import { createAuthenticate, createTenant, createToken, createUser } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { listEvents } from '../graphql/books.ts';
import { sampleKey } from '../anchors/sample.ts';
import { kontor } from '../processes/command-lines.ts';

let service: Service;
let demo: Integrator;

beforeAll(async () => {
  service = await startService();
  const { id: tenantId } = await createTenant(service.client, { name: demoTenant });
  const { id: userId } = await createUser(service.client, { email: demoEmail, tenantId });
  const { id: tokenId, token } = await createToken(service.client, { tenantId });
  demo = asIntegrator(service, { tenantId, userId, token, tokenId });
});
afterAll(() => service.close());

const run = (args: string[], { token }: Pick<Integrator, 'token'> = demo) =>
  kontor(['trigger', ...args], { KONTOR_URL: service.url, KONTOR_TOKEN: token });

const emittedTypes = async (who: Integrator): Promise<string[]> =>
  (await listEvents(service, who)).map(({ type }) => type);

describe('each event has a trigger, whose changes cause it', () => {
  it.each(eventTypes)('%s', async (type) => {
    const acme = await service.integrator();
    const steps: string[] = [];
    const books = new SampleBooks({ url: service.url, token: acme.token }, (step) => steps.push(step));
    const id = await triggers[type](books);
    expect(steps.length).toBeGreaterThan(0);
    if (type === 'books.anchored') {
      const context = await service.contextOf(acme);
      while (await sealNext(context));
      expect(await makeAnchor(context, sampleKey)).toBe(true); // what the hourly job does
      expect(await acme.db.event.count({ where: { type } })).toBe(1);
      return;
    }
    if (type === 'invoice.overdue') {
      expect(await emittedTypes(acme)).not.toContain(type);
      const caller = await createAuthenticate(service.pool, () => {})(`Bearer ${acme.token}`, new Date());
      if (caller.kind !== 'principal') throw new Error('The token is not accepted');
      await emitOverdue(service.domain.contextFor(caller.principal)); // what the hourly job does
    }
    const last = (await acme.db.event.findMany({ where: { type, resourceId: id } })).at(-1);
    expect(last).toMatchObject({ type, resourceId: id });
  });
});

it('is done in the demo tenant, and says what it did', async () => {
  const { code, out, err } = await run(['invoice.paid']);
  const [event] = await demo.db.event.findMany({ where: { type: 'invoice.paid' } });
  expect({ code, out, err }).toEqual({
    code: 0,
    out: `invoice.paid happened: event ${event!.id}\n`,
    err: 'createCustomer\ncreateInvoice\nissueInvoice\npayInvoice\n',
  });
  expect(await emittedTypes(demo)).toEqual(
    expect.arrayContaining(['customer.created', 'invoice.created', 'invoice.issued', 'invoice.paid']),
  );
});

it('says of an event of the hourly job that it will happen', async () => {
  const { code, out } = await run(['invoice.overdue']);
  expect([code, out]).toEqual([0, 'invoice.overdue is emitted by a job that runs every hour.\n']);
});

it('changes nothing in another tenant, unless its name is repeated', async () => {
  const acme = await service.integrator();
  const namesake = await service.integrator({ name: demoTenant });
  for (const who of [acme, namesake]) {
    const { code, out, err } = await run(['customer.created'], who);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/is not the demo tenant.* --confirm "/);
  }
  expect((await run(['customer.created', '--confirm', 'Another'], acme)).code).toBe(2);
  expect(await emittedTypes(acme)).toEqual([]);
  expect((await run(['customer.created', '--confirm', 'Acme'], acme)).code).toBe(0);
  expect(await emittedTypes(acme)).toEqual(['customer.created']);
});

it('takes no event that does not exist', async () => {
  const { code, err } = await run(['invoice.eaten']);
  expect(code).toBe(2);
  expect(err).toMatch(/Allowed choices are .*invoice\.created/);
});
