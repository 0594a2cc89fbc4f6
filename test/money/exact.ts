import { expect } from 'vitest';
import type { Integrator } from '../harness.ts';

/** An answer's `data`, in which each number is its text in the answer. Parsing a number would lose digits. */
// JSON from the server: the tests check its shape.
// eslint-disable-next-line typescript/no-explicit-any
export function exactData(text: string): any {
  const parse = JSON.parse as (
    json: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ) => { data: unknown };
  return parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value)).data;
}

/** A line: quantity, unit price, VAT rate, and discount as JSON text. */
export type JsonLine = readonly [quantity: string, price: string, rate: string, discount?: string];

/** An invoice's body with its numbers exactly as given. */
export function invoiceBody(customerId: string, currency: string, lines: readonly JsonLine[], more = ''): string {
  const items = lines.map(
    ([quantity, price, rate, discount = 'null']) =>
      `{"title":"x","quantity":${quantity},"unit_price_net":${price},"vat_rate":${rate},"discount_percent":${discount}}`,
  );
  return `{"customer_id":"${customerId}","invoice_date":"2026-01-31","currency":"${currency}"${more},"items":[${items.join()}]}`;
}

export const receiptBody = (currency: string, gross: string, rate?: string): string =>
  `{"receipt_date":"2026-01-31","currency":"${currency}","amount_gross":${gross}${rate ? `,"vat_rate":${rate}` : ''}}`;

/** An invoice's totals, as text. */
export interface Sums {
  lines: string[];
  net: string;
  vat: string;
  gross: string;
  /** [rate, net, VAT] */
  breakdown: string[][];
}

export function computeSums(text: string): Sums {
  const data = exactData(text);
  return {
    lines: data.items.map((item: { line_total_net: string }) => item.line_total_net),
    net: data.total_net,
    vat: data.total_vat,
    gross: data.total_gross,
    breakdown: data.vat_breakdown.map((share: Record<string, string>) => [
      share['vat_rate'],
      share['net'],
      share['vat'],
    ]),
  };
}

/** Creates a resource, and expects a GET to answer the same text, but for the warnings. @returns this text */
export async function create(who: Integrator, path: string, body: string): Promise<string> {
  const { status, text, headers } = await who.rest('POST', path, body);
  expect({ status, text }).toEqual({ status: 201, text: expect.any(String) });
  const again = await who.rest('GET', `${path}/${headers.get('location')!.split('/').at(-1)}`);
  const [data] = text.split(',"warnings":');
  expect(again.text).toBe(data === text ? text : `${data}}`);
  return again.text;
}
