import { resources, type Resource } from '../resources.ts';

/** The scopes of abilities: those of the resources, and of what is beside the books. */
export type AbilityScope = Resource['scope'] | 'company' | 'documents' | 'webhooks' | 'bulk-operations';

export const abilityScopes: readonly AbilityScope[] = [
  ...new Set(resources.map(({ scope }) => scope)),
  'company',
  'documents',
  'webhooks',
  'bulk-operations',
];

export type Ability = `${AbilityScope}:${'read' | 'write'}`;

/** All values of a token's list of abilities (DECISIONS.md#d20-abilities). */
export const grantable: readonly string[] = [
  '*',
  'read',
  'write',
  ...abilityScopes.flatMap((scope) => [`${scope}:read`, `${scope}:write`]),
];

/** Whether a token with these abilities, of which none is `*`, may do this: `read` covers every `<scope>:read`. */
export function allows(abilities: readonly string[], ability: Ability): boolean {
  const [, action = ''] = ability.split(':');
  return abilities.includes(action) || abilities.includes(ability);
}
