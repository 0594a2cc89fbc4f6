import type { Pool } from 'pg';
import type { Order } from '../load.ts';
import { rest } from '../dialects.ts';
import type { Tenant } from './installation.ts';

export type Requests = Order['requests'];

/** How many tenants of a size are asked for. */
const sampleSize = 1000;

interface Sample {
  tenantId: string;
  invoiceId: string;
  customerId: string;
}

/** Requests of many tenants in random order: of ten, four get an invoice, two list, two filter, and two create. */
export async function mixedRequests(pool: Pool, tenants: Tenant[]): Promise<Requests> {
  const chosen = takeSample(tenants, sampleSize);
  const tokens = new Map(chosen.map(({ id, token }) => [id, token]));
  const places = Array.from({ length: sampleSize }, (_, at) => ({
    tenant: chosen[at % chosen.length]!,
    from: randomId(),
  }));
  const { rows } = await pool.query<Sample>(
    `select tenant_id as "tenantId", found.id as "invoiceId", customer_id as "customerId"
     from unnest($1::uuid[], $2::uuid[]) as place (tenant_id, after), lateral (
       select id, customer_id from invoices where invoices.tenant_id = place.tenant_id and id >= after order by id limit 1
     ) as found`,
    [places.map(({ tenant }) => tenant.id), places.map(({ from }) => from)],
  );
  const requests = rows.flatMap(({ tenantId, invoiceId: id, customerId }) => {
    const list = { ask: 'invoices', perPage: 25 } as const;
    const questions = [
      { ask: 'invoice', id } as const,
      { ask: 'invoice', id } as const,
      { ask: 'customer', id: customerId } as const,
      { ask: 'invoice', id } as const,
      list,
      list,
      { ...list, customerId },
      { ...list, status: 'issued' },
      { ask: 'createInvoice', customerId } as const,
      { ask: 'createInvoice', customerId } as const,
    ];
    return questions.map((question) => ({ ...rest.ask(question, tenantId), token: tokens.get(tenantId)! }));
  });
  return shuffled(requests);
}

/** The first UUIDv7 of a time in the first 700 of the 900 days for which there are books. */
function randomId(): string {
  const time = Date.now() - (200 + Math.random() * 700) * 86_400_000;
  const digits = Math.floor(time).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}

/** Evenly spread over all. */
export const takeSample = <T>(all: T[], count: number): T[] =>
  all.length <= count ? all : Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]!);

function shuffled<T>(all: T[]): T[] {
  const keyed = all.map((value) => ({ key: Math.random(), value }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ value }) => value);
}
