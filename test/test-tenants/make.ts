import type { Integrator, Service } from '../harness.ts';

/** A test tenant without members, beside any number of others. */
export const makeTestTenant = async (
  { client }: Pick<Service, 'client'>,
  { tenantId: testOf }: Pick<Integrator, 'tenantId'>,
  name = 'Test',
): Promise<string> => (await client.tenant.create({ data: { name, country: 'DE', test: true, testOf } })).id;

/** A tenant has a limited number of test tenants. */
export const makeRoomForTests = async (
  { client }: Pick<Service, 'client'>,
  { tenantId: testOf }: Pick<Integrator, 'tenantId'>,
): Promise<void> => void (await client.tenant.deleteMany({ where: { testOf } }));
