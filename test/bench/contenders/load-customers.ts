import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { eventBody, formatTime, newId } from './environment.ts';
import type { NewCustomer } from './rest-app.ts';

// Customers by COPY, each with its event, in one transaction: as fast as one gets them into these tables.

const columns = [
  'external_id',
  'type',
  'company_name',
  'email',
  'address_line1',
  'postal_code',
  'city',
  'country',
  'vat_id',
] as const;

/** A row of COPY's text format. */
const row = (cells: (string | null | undefined)[]): string =>
  `${cells.map((cell) => cell?.replace(/[\\\t\n\r]/g, escape) ?? String.raw`\N`).join('\t')}\n`;
const escape = (character: string): string =>
  character === '\t'
    ? String.raw`\t`
    : character === '\n'
      ? String.raw`\n`
      : character === '\r'
        ? String.raw`\r`
        : '\\\\';

const chunkSize = 100_000;

/** Writes rows in large chunks, and waits when PostgreSQL is slower. */
function writer(stream: Writable): { write: (text: string) => Promise<unknown> | undefined; end: () => Promise<void> } {
  let chunk = '';
  return {
    write: (text) => {
      chunk += text;
      if (chunk.length < chunkSize) return undefined;
      const isFree = stream.write(chunk);
      chunk = '';
      return isFree ? undefined : once(stream, 'drain');
    },
    end: async () => {
      stream.end(chunk);
      await finished(stream);
    },
  };
}

/** @returns how many were written */
export async function loadCustomers(
  pool: Pool,
  tenantId: string,
  customers: AsyncIterable<NewCustomer>,
): Promise<number> {
  const connection = await pool.connect();
  try {
    const now = new Date();
    const time = formatTime(now);
    await connection.query('begin');
    const target = `copy customers (tenant_id, id, ${columns.join()}, created_at, updated_at) from stdin`;
    const rows = writer(connection.query(copyFrom(target)));
    const events: string[] = [];
    for await (const customer of customers) {
      const id = newId();
      const given = columns.map((column) => customer[column] ?? null);
      const whole = Object.fromEntries(columns.map((column, at) => [column, given[at]]));
      const shown = { id, ...whole, metadata: {}, created_at: time, updated_at: time };
      const body = eventBody(tenantId, time, 'customer', shown);
      events.push(row([tenantId, newId(), 'customer.created', id, body, now.toISOString()]));
      await rows.write(row([tenantId, id, ...given, now.toISOString(), now.toISOString()]));
    }
    await rows.end();
    const log = writer(
      connection.query(copyFrom('copy events (tenant_id, id, type, resource_id, body, created_at) from stdin')),
    );
    for (const event of events) await log.write(event);
    await log.end();
    await connection.query('commit');
    return events.length;
  } catch (error) {
    await connection.query('rollback');
    throw error;
  } finally {
    connection.release();
  }
}
