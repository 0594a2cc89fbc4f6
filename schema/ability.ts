/** The resources a token's abilities can name: REST's collections, and what GraphQL alone has. */
export const resources = [
  'customers',
  'invoices',
  'receipts',
  'projects',
  'time-entries',
  'bank-transactions',
  'webhooks',
] as const;

export type Resource = (typeof resources)[number];
export type Ability = `${Resource}:${'read' | 'write'}`;

/** Everything that may stand in a token's list of abilities (DECISIONS.md#d20-abilities). */
export const grantable: readonly string[] = [
  '*',
  'read',
  'write',
  ...resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
];

/** Whether a token with these abilities may do this: `read` covers every `<resource>:read`, `*` everything. */
export function allows(abilities: readonly string[], ability: Ability): boolean {
  const [, action = ''] = ability.split(':');
  return abilities.some((granted) => granted === '*' || granted === action || granted === ability);
}
