import { expect } from 'vitest';
import type { Answer, Integrator, Service } from '../harness.ts';

// Valid bodies and the shapes of answers, shared by the tests of the REST contract.

/** A well-formed id of no row. */
export const unknownId = '0190a1b2-c3d4-7000-8000-000000000000';

export const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
export const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);

/** The smallest valid body of each resource: its required fields only. */
export const customer = { type: 'customer', company_name: 'Kundin GmbH' };
export const supplier = { type: 'supplier', company_name: 'Lieferant AG' };
export const item = { title: 'Beratung', quantity: 1, unit_price_net: 100, vat_rate: 19 };
/** The fields that a line has when it doesn't say them, at a rate above 0 and without a unit. */
export const itemDefaults = {
  unit: null,
  vat_category: 'S',
  exemption_reason: null,
  unit_code: 'C62',
  description: null,
  discount_percent: 0,
  service_period_start: null,
  service_period_end: null,
};
export const invoice = (customerId: string) => ({
  customer_id: customerId,
  invoice_date: '2026-03-01',
  items: [item],
});
export const receipt = { receipt_date: '2026-03-01', amount_gross: 119 };
export const project = { name: 'Umbau' };
export const timeEntry = (projectId: string) => ({ project_id: projectId, date: '2026-03-01', duration_minutes: 90 });

/** The resources whose POST answers warnings beside `data`. */
const warned = new Set(['/invoices', '/credit-notes', '/receipts']);

/** Creates a resource. @returns its `data` */
// eslint-disable-next-line typescript/no-explicit-any
export async function create(who: Integrator, path: string, body: object): Promise<any> {
  const answer = await who.rest('POST', path, body);
  const body201 = { data: expect.anything(), ...(warned.has(path) && { warnings: expect.any(Array) }) };
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: body201 });
  return answer.body.data;
}

/** Expects an error of the documented shape. @returns its `errors`, which only 422 has */
export function refusal({ status, headers, body }: Answer, expected: number): Record<string, string[]> {
  const requestId = headers.get('x-request-id');
  const message = expect.stringMatching(/\S/);
  const errors = expected === 422 ? { errors: expect.any(Object), details: expect.any(Array) } : {};
  expect({ status, body }).toEqual({ status: expected, body: { message, ...errors, request_id: requestId } });
  for (const texts of Object.values(body.errors ?? {})) {
    expect(texts).toEqual(expect.arrayContaining([message]));
    for (const text of texts as unknown[]) expect(text).toEqual(message);
  }
  return body.errors;
}

/** The fields in a 422 answer, sorted. */
export const invalidFields = (answer: Answer): string[] => Object.keys(refusal(answer, 422)).toSorted();

/** The value at a path of keys in `body`. */
const valueAt = (body: unknown, keys: string[]): unknown =>
  keys.reduce((part, key) => (part as Record<string, unknown>)[key], body);

/** `body` with `value` at a dotted path: `items.0.quantity`. */
export function having(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body);
  const keys = path.split('.');
  const last = keys.pop()!;
  (valueAt(copy, keys) as Record<string, unknown>)[last] = value;
  return copy;
}

/** Expects each value to be accepted at this path of a new resource, and answered as sent or as `as` returns. */
export async function accepts(
  who: Integrator,
  [resource, body]: [string, object],
  path: string,
  values: unknown[],
  as: (value: unknown) => unknown = (value) => value,
): Promise<void> {
  for (const value of values) {
    const data = await create(who, resource, having(body, path, value));
    const answered = valueAt(data, path.split('.'));
    expect({ value, answered }).toEqual({ value, answered: as(value) });
  }
}

/** Expects 422 to each value at this path, with exactly that name, and expects that nothing is created. */
export async function refuses(
  who: Integrator,
  [at, body]: [string, object],
  path: string,
  values: unknown[],
): Promise<void> {
  const count = async () => (await who.rest('GET', at)).body.meta.total;
  const before = await count();
  for (const value of values) {
    const answer = await who.rest('POST', at, having(body, path, value));
    expect({ value, status: answer.status }).toEqual({ value, status: 422 });
    expect({ value, fields: invalidFields(answer) }).toEqual({ value, fields: [path] });
  }
  expect(await count()).toBe(before);
}

/** The number of rows in each of the tenants' tables. */
export async function rows({ pool }: Service): Promise<object> {
  const tables = [
    'customers',
    'invoices',
    'invoice_items',
    'invoice_sequences',
    'receipts',
    'projects',
    'time_entries',
    'events',
  ];
  const { rows: counts } = await pool.query(
    `select ${tables.map((table) => `(select count(*) from ${table}) as ${table}`).join()}`,
  );
  return counts[0];
}

/** Throws if the service logged an internal error or answered 500. */
export function expectNoInternalError({ log }: Service): void {
  const found = log.filter((line) => line.includes('"status":500') || line.includes('"level":50'));
  if (found.length > 0) throw new Error(`The service logged faults:\n${found.join('')}`);
}

/** Text of `count` code points, each with four bytes in UTF-8 and two code units in UTF-16. */
export const characters = (count: number): string => '🦆'.repeat(count);
