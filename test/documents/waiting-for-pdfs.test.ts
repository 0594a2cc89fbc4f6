import { Piscina } from 'piscina';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pdfTurns } from '../../schema/resources/document/stored-files.ts';
import { item } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { withHolder } from '../../prisma/client.ts';
import { makeIssuedInvoice, setCompany } from './parties.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const items = Array.from({ length: 500 }, (_, index) => ({ ...item, title: `Item ${index}` }));

async function download({ token }: Integrator, invoiceId: string) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/api/v1/invoices/${invoiceId}/pdf`, { headers });
  const { status } = response;
  return { status, retryAfter: response.headers.get('retry-after'), bytes: Buffer.from(await response.arrayBuffer()) };
}

async function seller(): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who);
  return who;
}

it('a PDF is made once for all who ask at the same time', async () => {
  const who = await seller();
  const id = await makeIssuedInvoice(who, { items });
  const made = vi.spyOn(Piscina.prototype, 'run');
  const answers = await Promise.all(Array.from({ length: 12 }, () => download(who, id)));
  // Of twelve who waited too long, some are asked to try again.
  for (const { status, retryAfter } of answers) if (status !== 200) expect([status, retryAfter]).toEqual([503, '5']);
  // On a busy machine it may still be under way.
  await expect.poll(async () => (await download(who, id)).status).toBe(200);
  const { bytes } = await download(who, id);
  expect(made).toHaveBeenCalledTimes(1);
  expect(answers.filter((answer) => answer.status === 200).every((answer) => answer.bytes.equals(bytes))).toBe(true);
  made.mockRestore();
});

it('who has to wait too long is asked to try again, which is no fault of the service', async () => {
  const who = await seller();
  const id = await makeIssuedInvoice(who);
  const before = service.log.length;
  const made = vi.spyOn(Piscina.prototype, 'run');
  const held = Promise.withResolvers<void>();
  const holding = pdfTurns.run(withHolder({ id: who.tenantId, testOf: null }).holder, () => held.promise);
  const [rest, graphql] = await Promise.all([
    download(who, id),
    who.graphqlAnswer('query ($id: UUID!) { invoicePdf(id: $id) { size } }', { id }),
  ]);
  expect([rest.status, rest.retryAfter]).toEqual([503, '5']);
  expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '5']);
  expect(graphql.body).toMatchObject({
    data: { invoicePdf: null },
    errors: [{ extensions: { code: 'UNAVAILABLE', retryAfter: 5 } }],
  });
  held.resolve();
  await holding;
  expect((await download(who, id)).status).toBe(200);
  expect(made).toHaveBeenCalledTimes(1); // nobody waits for what was given up
  made.mockRestore();
  const logged = service.log.slice(before);
  expect(logged.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  expect(logged.join(''), 'the request had time left').not.toContain('Not answered within');
});
