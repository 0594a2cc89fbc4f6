import type { Integrator } from '../harness.ts';
import { makeCompany } from '../graphql/books.ts';

// Rows that make answers long.

/** Events whose bodies are as long as those of large invoices. */
export async function makeEvents({ db }: Integrator, count: number, bytes: number): Promise<void> {
  const data = Array.from({ length: count }, () => ({
    type: 'invoice.created',
    body: `{"event":"invoice.created","data":${JSON.stringify('x'.repeat(bytes))}}`,
  }));
  for (const each of data) await db.event.create({ data: each, select: { id: true } });
}

/** A company profile with a logo of this length. @returns the company's id */
export async function makeCompanyWithLogo(who: Integrator, bytes: number): Promise<string> {
  const id = await makeCompany(who);
  const data = { sha256: Buffer.alloc(32), bytes: Buffer.alloc(bytes, 7) };
  const logo = await who.db.companyLogo.create({ data, select: { id: true } });
  await who.db.company.updateMany({ data: { logoId: logo.id } });
  return id;
}

/** A delivery with one attempt that was answered with this body. @returns the delivery's id */
export async function makeDelivery({ db }: Integrator, responseBody: Buffer<ArrayBuffer>): Promise<string> {
  const webhook = await db.webhook.create({
    data: { url: 'https://example.com/', events: ['*'], secret: Buffer.alloc(8), slot: 1 },
    select: { id: true },
  });
  const event = await db.event.create({
    data: { type: 'webhook.ping', body: '{"event":"webhook.ping"}' },
    select: { id: true },
  });
  const { id } = await db.delivery.create({
    data: { webhookId: webhook.id, eventId: event.id, state: 'DELIVERED', finishedAt: new Date() },
    select: { id: true },
  });
  const attempt = { number: 1, startedAt: new Date(), durationMs: 1, status: 200, requestHeaders: {} };
  await db.deliveryAttempt.create({ data: { deliveryId: id, ...attempt, responseBody }, select: { number: true } });
  return id;
}

/** As many lines as an invoice may have. */
export const lines = (description = ''): object[] =>
  Array.from({ length: 500 }, (_, at) => ({
    title: `Line ${at}`,
    quantity: '1',
    unitPriceNet: '1',
    vatRate: '19',
    description,
  }));
