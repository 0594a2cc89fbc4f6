import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrate } from '../../prisma/migrate.ts';
import { startService, type Service } from '../harness.ts';
import { fill } from './books.ts';
import { nameless } from './statements.ts';

// A database as operators have it: its owner is an ordinary role.

const owner = `owner_${randomUUID().replaceAll('-', '')}`;
let superuser: Client;
let url: string;
let service: Service | undefined;

beforeAll(async () => {
  superuser = new Client({ connectionString: new URL('/postgres', inject('serverUrl')).href });
  await superuser.connect();
  await superuser.query(`create role ${owner} login password 'secret'`);
  await superuser.query(`create database ${owner} owner ${owner}`);
  const address = new URL(`/${owner}`, inject('serverUrl'));
  address.username = owner;
  address.password = 'secret';
  url = address.href;
});
afterAll(async () => {
  await service?.close();
  await superuser.query(`drop database ${owner} with (force)`);
  await superuser.query(`revoke kontor_books from ${owner}`);
  await superuser.query(`drop role ${owner}`);
  await superuser.end();
});

it('migration fails with one line of advice if the owner can’t switch to the role of the books', async () => {
  await expect(migrate(url)).rejects.toThrow(
    `${owner} may not act as kontor_books. As a superuser, run: grant kontor_books to ${owner}`,
  );
  await superuser.query(`grant kontor_books to ${owner}`);
});

it('migration needs no superuser if the owner can, and names the statements that only a superuser can run', async () => {
  const told: string[] = [];
  await migrate(url, (line) => told.push(line));
  expect(told.at(-1)).toContain('alter function enum_eq(anyenum,anyenum) leakproof;');
  service = await startService({ database: { url, drop: async () => {} } });
  const acme = await service.integrator();
  const globex = await service.integrator();
  const { customer } = await fill(acme);
  expect((await acme.rest('GET', `/customers/${customer}`)).status).toBe(200);
  expect((await globex.rest('GET', `/customers/${customer}`)).status).toBe(404);
  const { rows } = await service.pool.query(`select count(*)::int as jobs from graphile_worker.jobs`);
  expect(rows[0].jobs).toBeGreaterThan(5);
});

it('the owner sees no rows of the books', async () => {
  expect(await service?.client.customer.count()).toBe(0);
  await expect(service?.client.customer.deleteMany()).resolves.toEqual({ count: 0 });
  nameless.clear(); // on purpose
});
