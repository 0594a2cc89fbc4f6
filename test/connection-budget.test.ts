import { afterAll, beforeAll, expect, it } from 'vitest';
import { findConnectionShortage } from '../src/database/connection-budget.ts';
import { startService, type Service } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('a start that may need more connections than PostgreSQL has left says so, with the figures', async () => {
  const enough = { databaseConnections: 2, databaseBooksConnections: 2 };
  expect(await findConnectionShortage(service.pool, enough, 1)).toBeUndefined();
  const many = { databaseConnections: 1000, databaseBooksConnections: 500 };
  expect(await findConnectionShortage(service.pool, many, 4)).toMatch(
    /^This start may open 6000 connections to PostgreSQL, and \d+ are open already, of \d+ that max_connections allows: /,
  );
});
