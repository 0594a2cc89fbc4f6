import { afterAll, beforeAll, expect } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';

// Searches for customers over REST.

export let service: Service;

/** Starts a service for a test file. */
export function serveSearches(): void {
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());
}

export type CustomerFields = Partial<
  Record<'email' | 'city' | 'vatId' | 'addressLine1' | 'postalCode' | 'country', string>
> & {
  companyName: string;
  type?: 'CUSTOMER' | 'SUPPLIER';
};

/** A tenant with these customers. */
export async function tenantWith(...rows: (string | CustomerFields)[]): Promise<Integrator> {
  const tenant = await service.integrator();
  const data = rows.map((row) => ({
    type: 'CUSTOMER' as const,
    ...(typeof row === 'string' ? { companyName: row } : row),
  }));
  await tenant.db.customer.createMany({ data });
  return tenant;
}

export const path = (q: string, others = ''): string => `/customers?per_page=100&q=${encodeURIComponent(q)}${others}`;

/** The names of the found customers, oldest first. */
export async function search(tenant: Integrator, q: string, others?: string): Promise<string[]> {
  const { status, body } = await tenant.rest('GET', path(q, others));
  expect(status).toBe(200);
  const names = body.data.map((customer: { company_name: string }) => customer.company_name).toReversed();
  expect(body.meta.total).toBe(names.length);
  return names;
}
