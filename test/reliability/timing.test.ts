import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCustomer, makeInvoice, makeProject, makeTimeEntry } from '../graphql/books.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { quantile, say } from './served.ts';
import { isLong, size } from './size.ts';

// The duration of an answer reveals nothing about other tenants: requests for another tenant's id take as long as for an
// unknown one. They are sent alternately. Single durations vary with the machine's load; medians of many don't.

const pairs = size('PAIRS', { suite: 10, full: 2000 });
const warmUps = size('WARM_UPS', { suite: 1, full: 50 });

let service: Service;
let acme: Integrator;
let customer: string;
let invoice: string;
let project: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const globex = await service.integrator();
  customer = await makeCustomer(globex);
  // It is large, so that reading it would take long.
  const items = Array.from({ length: 400 }, (_each, index) => ({
    title: `Item ${index}`,
    quantity: '1',
    unitPriceNet: '1',
    vatRate: '19',
  }));
  invoice = await makeInvoice(globex, { customerId: customer, items });
  project = await makeProject(globex, { customerId: customer });
  for (let count = 0; count < 50; count += 1) await makeTimeEntry(globex, { projectId: project });
});
afterAll(() => service.close());

type Send = (id: string) => Promise<Answer>;

const nobodys = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

it.each<[string, () => string, Send]>([
  ['GET /invoices/{id}', () => invoice, (id) => acme.rest('GET', `/invoices/${id}`)],
  ['DELETE /customers/{id}', () => customer, (id) => acme.rest('DELETE', `/customers/${id}`)],
  ['PATCH /projects/{id}', () => project, (id) => acme.rest('PATCH', `/projects/${id}`, { name: 'x' })],
  ['GET /invoices?customer_id=', () => customer, (id) => acme.rest('GET', `/invoices?customer_id=${id}`)],
  [
    'POST /time-entries',
    () => project,
    (id) => acme.rest('POST', '/time-entries', { project_id: id, date: '2026-03-01', duration_minutes: 1 }),
  ],
  [
    'issueInvoice(id)',
    () => invoice,
    (id) => acme.graphqlAnswer('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id }),
  ],
  [
    'project(id) with nested fields',
    () => project,
    (id) => acme.graphqlAnswer('query ($id: UUID!) { project(id: $id) { id trackedMinutes unbilledMinutes } }', { id }),
  ],
])('%s takes as long for another tenant’s id as for an unknown one', async (name, id, send) => {
  const [theirs, none]: [number[], number[]] = [[], []];
  const statuses = new Map<number[], number>();
  const time = async (requested: string, into: number[]): Promise<void> => {
    const start = performance.now();
    const { status } = await send(requested);
    into.push(performance.now() - start);
    statuses.set(into, status);
  };
  for (let pair = -warmUps; pair < pairs; pair += 1) {
    const order = [() => time(id(), theirs), () => time(nobodys(id()), none)];
    for (const measure of Math.random() < 0.5 ? order : order.toReversed()) await measure();
    if (pair < 0) theirs.length = none.length = 0; // warming up
  }
  const ratio = (share: number): number => quantile(theirs, share) / quantile(none, share);
  const ratios = [0.25, 0.5, 0.75].map((share) => ratio(share).toFixed(3)).join(', ');
  say(`${name}: theirs to nobody's, at the quartiles: ${ratios}`);
  expect(statuses.get(theirs)).toBe(statuses.get(none));
  if (!isLong) return; // the suite's machine is busy with other tests
  // Reading the row first would take one more query, about half the time again. Smaller differences are chance.
  expect(ratio(0.5)).toBeGreaterThan(0.8);
  expect(ratio(0.5)).toBeLessThan(1.25);
});
