import { asIntegrator, type Integrator, type Service } from '../harness.ts';

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

/** A test tenant of a tenant's, as its token sees it. */
export async function startTestTenant(service: Service, owner: Integrator, name = 'Acme'): Promise<Integrator> {
  const { body } = await owner.rest('POST', '/test-tenants', { name });
  const { id: tenantId, token } = body.data;
  const { id: tokenId } = await service.client.apiToken.findFirstOrThrow({ where: { tenantId } });
  return asIntegrator(service, { tenantId, userId: owner.userId, token, tokenId });
}
