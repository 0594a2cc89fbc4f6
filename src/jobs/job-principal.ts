import { withHolder, type Tenant } from '../../prisma/client.ts';
import type { Principal } from '../../schema/graphql/context.ts';

/** The caller of what no request causes. */
const nobody = { id: '00000000-0000-0000-0000-000000000000', name: 'Kontor', email: '' };

/** The principal of a job that works for a tenant. */
export const getJobPrincipal = (tenant: Tenant): Principal => ({
  user: nobody,
  tenant: withHolder(tenant),
  token: null,
});
