import { expect } from 'vitest';
import type { Integrator, Service } from '../harness.ts';

// An oracle of the audit log: its entries, applied one after the other to nothing, give the rows as they are now.

/** The tables whose rows the log has, by the resource, and the columns that it leaves out. */
const tables = {
  customer: ['customers'],
  invoice: ['invoices'],
  credit_note: ['credit_notes'],
  receipt: ['receipts'],
  project: ['projects'],
  time_entry: ['time_entries'],
  bank_transaction: ['bank_transactions', 'identity'],
  payment: ['payments'],
  company: ['companies'],
} as const;

export interface Entry {
  id: string;
  actor_kind: string | null;
  user_id: string | null;
  token_id: string | null;
  session_id: string | null;
  request_id: string | null;
  job: string | null;
  resource: string;
  resource_id: string | null;
  version: number | null;
  action: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** A tenant's entries, in the order of commits. */
export async function readEntries({ pool }: Service, tenantId: string, resource?: string): Promise<Entry[]> {
  const { rows } = await pool.query<Entry>(
    'select * from audit_entries where tenant_id = $1 and ($2::text is null or resource = $2) order by position',
    [tenantId, resource],
  );
  return rows;
}

type State = Record<string, unknown>;

/** The rows that the entries lead to, each with its number of entries. Checks that each entry goes on from the one before. */
export function replay(entries: Entry[]): Map<string, { fields: State; versions: (number | null)[] }> {
  const states = new Map<string, { fields: State; versions: (number | null)[] }>();
  for (const { resource, resource_id: id, action, before, after, version } of entries) {
    const key = `${resource} ${id}`;
    const former = states.get(key);
    if (action === 'created') {
      expect(former).toBeUndefined();
      expect(before).toBeNull();
      states.set(key, { fields: after ?? {}, versions: [version] });
      continue;
    }
    if (!former) throw new Error(`${key} was never created`);
    const known = Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, former.fields[name] ?? null]));
    expect(withoutNulls(before)).toEqual(withoutNulls(known));
    if (action === 'deleted') states.delete(key);
    else {
      expect(Object.keys(after ?? {})).toEqual(Object.keys(before ?? {}));
      for (const [name, value] of Object.entries(after ?? {})) expect(value).not.toEqual(before?.[name]);
      states.set(key, { fields: { ...former.fields, ...after }, versions: [...former.versions, version] });
    }
  }
  return states;
}

/** Null is nothing, also within a value: entries leave it out where a row is created or deleted. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNulls(each)]));
}

/** Compares what the log leads to with the rows: none is missing, and each version of each row has one entry. */
export async function expectComplete(service: Service, { tenantId }: Pick<Integrator, 'tenantId'>): Promise<Entry[]> {
  const entries = await readEntries(service, tenantId);
  const states = replay(entries);
  for (const [resource, [table, ...leftOut]] of Object.entries(tables)) {
    const { rows } = await service.pool.query<{ row: State }>(
      `select to_jsonb(r) - $2::text[] as row from ${table} r where tenant_id = $1`,
      [tenantId, ['tenant_id', 'updated_at', 'search_text', ...leftOut]],
    );
    for (const { row } of rows) {
      const { id, version, ...fields } = row;
      const state = states.get(`${resource} ${String(id)}`);
      expect(withoutNulls(state?.fields ?? {})).toEqual(withoutNulls(fields));
      if (version !== undefined)
        expect(state?.versions).toEqual(Array.from({ length: version as number }, (_, at) => at + 1));
      states.delete(`${resource} ${String(id)}`);
    }
    expect([...states.keys()].filter((key) => key.startsWith(`${resource} `))).toEqual([]);
  }
  const { rows: lines } = await service.pool.query<{ key: string; lines: State[] }>(
    `select 'invoice_lines ' || invoice_id as key,
       jsonb_agg(jsonb_strip_nulls(to_jsonb(l) - '{tenant_id,id,invoice_id}'::text[]) order by position) as lines
     from invoice_items l where tenant_id = $1 group by invoice_id`,
    [tenantId],
  );
  for (const { key, lines: expected } of lines) expect(states.get(key)?.fields['lines']).toEqual(expected);
  expect([...states.keys()].filter((key) => key.startsWith('invoice_lines ')).toSorted()).toEqual(
    lines.map(({ key }) => key).toSorted(),
  );
  return entries;
}
