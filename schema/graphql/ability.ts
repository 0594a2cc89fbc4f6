import { resources, type Resource } from '../resource-list.ts';

type WritableScope =
  | Resource['scope']
  | 'company'
  | 'documents'
  | 'webhooks'
  | 'bulk-operations'
  | 'exports'
  | 'test-tenants';

/** The scopes of abilities: those of the resources, and of what is beside the books. */
export type AbilityScope = WritableScope | 'audit';

export type Ability = `${AbilityScope}:read` | `${WritableScope}:write`;

const writableScopes: readonly WritableScope[] = [
  ...new Set(resources.map(({ scope }) => scope)),
  'company',
  'documents',
  'webhooks',
  'bulk-operations',
  'exports',
  'test-tenants',
];

export const abilityScopes: readonly AbilityScope[] = [...writableScopes, 'audit'];

/** All abilities, by scope. Nobody writes the audit log. */
export const abilities: readonly Ability[] = abilityScopes.flatMap((scope): Ability[] =>
  scope === 'audit' ? ['audit:read'] : [`${scope}:read`, `${scope}:write`],
);

/** All values of a token's list of abilities (DECISIONS.md#d20-abilities). */
export const grantable: readonly string[] = ['*', 'read', 'write', ...abilities];

/** Whether a token that holds these abilities, of which none is `*`, may do this: `read` covers every `<scope>:read`. */
export function allows(held: readonly string[], ability: Ability): boolean {
  const [, action = ''] = ability.split(':');
  return held.includes(action) || held.includes(ability);
}
