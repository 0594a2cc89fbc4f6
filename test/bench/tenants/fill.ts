import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { resources } from '../../../schema/resource-list.ts';
import { getTable } from '../../../prisma/tables.ts';
import { countAnew, countedTables } from '../../counted-rows.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import { tenantSizes } from './sizes.ts';

/** A statement, with a name for the person who waits. */
interface Step {
  name: string;
  sql: string;
}

/** How many statements run at a time. */
const lanes = 2;

/** One tenant of so many has a webhook. */
const tenantsPerWebhook = 5;

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** The statements of rows.sql, in its order. */
const fillingSteps = (): Step[] =>
  read('rows.sql')
    .split(/^-- table: /m)
    .slice(1)
    .map((part) => ({ name: part.slice(0, part.indexOf('\n')), sql: part.slice(part.indexOf('\n')) }));

/** The rows that triggers would have written: row counts, and the change feed. */
const recordingSteps = (): Step[] => [
  ...resources.map(({ model, name }) => {
    const { table } = getTable(model);
    return {
      name: `changes of ${table}`,
      sql: `insert into changes (tenant_id, resource, id, position, deleted, changed_at)
        select tenant_id, '${name}', id, nextval('changes_position_seq'), false, updated_at from ${table}`,
    };
  }),
  ...countedTables.map((counted) => ({ name: `row counts of ${counted.table}`, sql: countAnew(counted) })),
];

/**
 * Fills an empty database with the tenants and their books. Triggers are off meanwhile, and indexes are built afterwards.
 * @param url the database's URL for a superuser
 * @param secret KONTOR_SECRET, which encrypts the secrets of webhooks
 */
export async function fill(url: string, scale: number, secret: string, report: (line: string) => void): Promise<void> {
  const client = await connect(url);
  try {
    await client.query('create schema making');
    await makeTenants(client, scale, secret);
    report('preparing');
    await client.query(read('preparation.sql'));
    const indexes = await dropIndexes(client);
    await inLanes(url, fillingSteps(), report);
    await inLanes(url, recordingSteps(), report);
    await client.query('drop schema making cascade');
    await inLanes(url, indexes, report);
    await inLanes(url, await vacuumSteps(client), report);
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`set session_replication_role = replica; set synchronize_seqscans = off; set timezone = 'UTC';
    set maintenance_work_mem = '1GB'; set work_mem = '256MB'; set jit = off`);
  return client;
}

async function makeTenants(client: Client, scale: number, secret: string): Promise<void> {
  const sizes = tenantSizes(scale);
  const { seal, newSecret } = createWebhooks({ secret, allowInsecure: true });
  const secrets = sizes.map((_, index) => (index % tenantsPerWebhook === 0 ? Buffer.from(seal(newSecret())) : null));
  await client.query(`create table making.tenants (
    rank int primary key, id uuid not null, invoices int not null, webhook_secret bytea
  )`);
  await client.query(
    `insert into making.tenants (rank, id, invoices, webhook_secret)
     select rank, ('00000000-0000-7000-8000-' || lpad(rank::text, 12, '0'))::uuid, size, secret
     from unnest($1::int[], $2::bytea[]) with ordinality as given (size, secret, rank)`,
    [sizes, secrets],
  );
}

/** Runs steps, two at a time. A step may need those before it, except the one right before it. */
async function inLanes(url: string, steps: Step[], report: (line: string) => void): Promise<void> {
  const waiting = steps.values();
  const lane = async (): Promise<void> => {
    const client = await connect(url);
    try {
      for (const { name, sql } of waiting) {
        const start = performance.now();
        await client.query(sql);
        report(`${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** @returns the steps that build the indexes again, the longest first */
async function dropIndexes(client: Client): Promise<Step[]> {
  const { rows } = await client.query<Step & { drop: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql,
       format('drop index %s', indexrelid::regclass) as drop
     from pg_index join pg_class on pg_class.oid = indrelid join pg_am on pg_am.oid = (
       select relam from pg_class as index where index.oid = indexrelid
     )
     where relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint where conindid = indexrelid)
     order by amname = 'gin' desc, relname in ('invoices', 'invoice_items', 'changes') desc`,
  );
  for (const { drop } of rows) await client.query(drop);
  return rows;
}

async function vacuumSteps(client: Client): Promise<Step[]> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_relation_size(oid) desc`,
  );
  return rows.map(({ name }) => ({ name: `vacuum of ${name}`, sql: `vacuum (analyze) ${name}` }));
}
