import { GraphQLError } from 'graphql';
import { withHolder } from '../../prisma/client.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { CodedError, ValidationError } from '../../schema/errors/errors.ts';
import { compileDocument } from '../../schema/graphql/execution/compile-document.ts';
import { isUuid } from '../../schema/graphql/scalars/scalars.ts';
import { formatAddress, readConfig } from '../config/config.ts';
import { readKeyring } from '../security/secret-check.ts';
import type { Database } from '../database/database.ts';
import { createDomain, type Domain } from '../domain.ts';
import { RefusedError } from '../identity/index.ts';
import { openStorage } from '../storage/storage.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';

/** The user of the command line, which has no account. */
const operator = { id: '00000000-0000-0000-0000-000000000000', name: 'Operator', email: '' };

/** The domain, and a context of it for a tenant. @throws RefusedError for an unknown or closed tenant */
export async function operatorDomain(
  database: Database,
  tenantId: string,
): Promise<{ domain: Domain; context: Context }> {
  const config = readConfig(process.env);
  const secret = await readKeyring(config, database);
  const webhooks = createWebhooks({ secret, allowInsecure: config.webhookAllowInsecure });
  const publicAddress = { url: config.publicUrl ?? formatAddress(config.host, config.port) };
  const domain = createDomain(database, webhooks, publicAddress, await openStorage(config));
  const tenant = isUuid(tenantId) ? await database.client.tenant.findFirst({ where: { id: tenantId } }) : null;
  if (!tenant) throw new RefusedError(`Unknown tenant "${tenantId}"`);
  if (tenant.deletionStartedAt) throw new RefusedError(`Tenant ${tenant.id} is being deleted`);
  if (tenant.closedAt)
    throw new RefusedError(`Tenant ${tenant.id} is closed: reopen it first, tenant reopen ${tenant.id}`);
  return { domain, context: domain.contextFor({ user: operator, tenant: withHolder(tenant), token: null }) };
}

/** A context of the domain for a tenant. @throws RefusedError for an unknown or closed tenant */
export const operatorContext = async (database: Database, tenantId: string): Promise<Context> =>
  (await operatorDomain(database, tenantId)).context;

/**
 * Runs a GraphQL document for a tenant, as a front end does.
 * @param source a document with one field that is called `result`
 * @throws RefusedError with the domain's message
 */
export async function ask<T>(database: Database, tenantId: string, source: string, variables: object): Promise<T> {
  const { domain, context } = await operatorDomain(database, tenantId);
  try {
    return await compileDocument<T>(domain.schema, source)({ ...variables }, context);
  } catch (error) {
    if (error instanceof ValidationError) throw new RefusedError(Object.values(error.errors).flat().join(' '));
    if (error instanceof CodedError || (error instanceof GraphQLError && !error.originalError))
      throw new RefusedError(error.message);
    throw error;
  }
}
