import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { account, type Entry } from './statement.ts';

// A service that imports statements, and two entries of a statement with their rows as REST answers them.

export let service: Service;
export let acme: Integrator;

/** For a file of tests: a service, and a tenant of its own for each test. */
export function serveImports(): void {
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    acme = await service.integrator();
  });
  afterAll(() => service.close());
}

export const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
export const faultsSince = (logged: number): string[] =>
  service.log.slice(logged).filter((line) => JSON.parse(line).level > 30);

export const received: Entry = {
  amount: '119.00',
  date: '2026-03-02',
  valueDate: '2026-03-03',
  id: 'B1',
  name: 'Globex GmbH',
  iban: 'FR7630006000011234567890189',
  reference: 'Thanks a lot',
};
export const sent: Entry = { amount: '-12.34567', currency: 'CHF', reference: 'Rent' };
export const receivedRow = {
  id,
  external_id: 'B1',
  account_iban: account,
  booking_date: '2026-03-02',
  value_date: '2026-03-03',
  amount: 119,
  currency: 'EUR',
  counterparty_name: 'Globex GmbH',
  counterparty_iban: 'FR7630006000011234567890189',
  reference: 'Thanks a lot',
  match_status: 'unmatched',
  amount_open: 119,
  matches: [],
  created_at: time,
  updated_at: time,
};
export const sentRow = {
  ...receivedRow,
  external_id: null,
  value_date: null,
  amount: -12.34567,
  currency: 'CHF',
  counterparty_name: null,
  counterparty_iban: null,
  reference: 'Rent',
  amount_open: -12.34567,
};
