import { expect, it } from 'vitest';
import { startService } from '../harness.ts';
import { startInnocentCaller } from '../reliability/innocent-caller.ts';
import * as sample from './samples.ts';
import { create, expectNoInternalError, invalidFields } from './samples.ts';

// One tenant's batches run beside an innocent caller of another tenant, who is served meanwhile. How long that takes is measured
// in test/reliability/attacks/batches.ts.

const lines = (count: number, fields: object = {}) =>
  Array.from({ length: count }, () => ({ ...sample.item, ...fields }));

it('other tenants are served beside the largest batches, valid and invalid', async () => {
  const service = await startService();
  try {
    const [attacker, innocent] = [await service.integrator(), await service.integrator()];
    await create(innocent, '/customers', sample.customer);
    const { id } = await create(attacker, '/customers', sample.customer);
    const many = (items: object[]) => Array.from({ length: 100 }, () => ({ ...sample.invoice(id), items }));
    // 500 lines in each are too many values for one request, 38 are as many as fit.
    const batches: [what: string, body: object, status: number][] = [
      ['500 lines', { items: many(lines(500)) }, 413],
      ['500 lines, short', { items: many(lines(500)).map(({ items }) => ({ items: items.map(() => ({})) })) }, 422],
      ['38 lines', { items: many(lines(38)) }, 200],
      ['38 lines, atomic', { items: many(lines(38)), atomic: true }, 200],
      ['38 wrong lines', { items: many(lines(38, { quantity: 0 })) }, 200],
      ['38 wrong lines, atomic', { items: many(lines(38, { quantity: 0 })), atomic: true }, 422],
    ];
    let served = 0; // a batch may be refused before the caller's next request is due
    for (const [what, body, status] of batches) {
      const caller = await startInnocentCaller(service.url, innocent.token);
      const answers = await Promise.all([1, 2, 3].map(() => attacker.rest('POST', '/invoices/batch', body)));
      const seen = await caller.stop();
      const others = answers.map((answer) => answer.status).filter((one) => one !== status);
      expect([what, others]).toEqual([what, others.map(() => 503)]); // out of time, where the machine is busy
      expect([what, seen.statuses]).toEqual([what, seen.answers > 0 ? { 200: seen.answers } : {}]);
      served += seen.answers;
    }
    expect(served).toBeGreaterThan(0);
    expectNoInternalError(service);
  } finally {
    await service.close();
  }
});

it('an answer ends soon after its longest length, and says which items were not begun', async () => {
  const service = await startService({ maxResponseBytes: 200_000 });
  try {
    const who = await service.integrator();
    const { id } = await create(who, '/customers', sample.customer);
    const items = Array.from({ length: 60 }, () => ({ ...sample.invoice(id), items: lines(20) }));
    const { status, body, text } = await who.rest('POST', '/invoices/batch', { items });
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(230_000);
    const statuses: number[] = body.results.map((result: { status: number }) => result.status);
    const begun = statuses.indexOf(503);
    expect(begun).toBeGreaterThan(10);
    expect(statuses).toEqual(items.map((_item, at) => (at < begun ? 201 : 503)));
    expect((await who.rest('GET', '/invoices?per_page=1')).body.meta.total).toBe(begun);
    const atomic = await who.rest('POST', '/invoices/batch', { items, atomic: true });
    expect(invalidFields(atomic)).toEqual(['items']);
    expect((await who.rest('GET', '/invoices?per_page=1')).body.meta.total).toBe(begun);
  } finally {
    await service.close();
  }
});
