import type { GraphQLSchema } from 'graphql';
import { forTenant, type UnscopedClient } from '../prisma/client.ts';
import { loadOperations, type Operation } from '../rest-shim/operation.ts';
import { createRepresent } from '../rest-shim/represent.ts';
import { allows } from '../schema/ability.ts';
import { createContext, type Context, type Principal, type Webhooks } from '../schema/context.ts';
import { toSchema } from '../schema/index.ts';
import { createIdentity } from './identity/index.ts';

/** The domain as doors and jobs use it: operations compiled, contexts made for whoever asks. */
export interface Domain {
  schema: GraphQLSchema;
  operations: Map<string, Operation>;
  contextFor: (principal: Principal) => Context;
}

/** @param publicUrl where people reach the dashboard, for links */
export function createDomain(
  client: UnscopedClient,
  webhooks: Webhooks,
  publicUrl: () => string,
  now: () => Date = () => new Date(),
): Domain {
  const schema = toSchema();
  const domain = { schema, operations: loadOperations(schema) };
  const represent = createRepresent(domain);
  const contextFor = (principal: Principal): Context =>
    createContext({
      client: forTenant(client, principal.tenant.id),
      principal,
      now,
      may: (ability) => allows(principal.token?.abilities ?? ['*'], ability),
      represent,
      webhooks,
      identity: createIdentity(client, principal, { now, publicUrl }),
    });
  return { ...domain, contextFor };
}
