import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCustomer, makeInvoice, makeProject, makeTimeEntry } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { quantile, say } from './served.ts';

// How long an answer takes tells nothing of other tenants: asked in turns, another tenant's id and one that nobody has
// take as long. What differs between two turns differs by the machine's mood; medians of many don't.

const pairs = Number(process.env['PAIRS'] ?? 2000);

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
  // Large: much to read for who would read it first.
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

type Ask = (id: string) => Promise<unknown>;

const nobodys = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

it.each<[string, () => string, Ask]>([
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
    'project(id) with what is within it',
    () => project,
    (id) => acme.graphqlAnswer('query ($id: UUID!) { project(id: $id) { id trackedMinutes unbilledMinutes } }', { id }),
  ],
])('%s: another tenant’s id takes as long as one that nobody has', async (name, id, ask) => {
  const [theirs, none]: [number[], number[]] = [[], []];
  const time = async (asked: string, into: number[]): Promise<void> => {
    const start = performance.now();
    await ask(asked);
    into.push(performance.now() - start);
  };
  for (let pair = -50; pair < pairs; pair += 1) {
    const turns = [() => time(id(), theirs), () => time(nobodys(id()), none)];
    for (const turn of Math.random() < 0.5 ? turns : turns.toReversed()) await turn();
    if (pair < 0) theirs.length = none.length = 0; // warming up
  }
  const ratio = (share: number): number => quantile(theirs, share) / quantile(none, share);
  const told = [0.25, 0.5, 0.75].map((share) => ratio(share).toFixed(3)).join(', ');
  say(`${name}: theirs to nobody's, at the quartiles: ${told}`);
  // Reading the row first would take a query more, half as long again. What is left is chance.
  expect(ratio(0.5)).toBeGreaterThan(0.8);
  expect(ratio(0.5)).toBeLessThan(1.25);
});
