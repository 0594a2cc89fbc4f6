/** What a token can be let do, as `<resource>:read` and `<resource>:write`: schema/ability.ts has the same. */
export const resources = [
  'customers',
  'invoices',
  'receipts',
  'projects',
  'time-entries',
  'bank-transactions',
  'webhooks',
];

/** A list of abilities, in words. */
export function inWords(abilities: readonly string[]): string {
  if (abilities.includes('*')) return 'Everything';
  if (abilities.length === 1 && abilities[0] === 'read') return 'Read everything';
  if (abilities.length === 1 && abilities[0] === 'write') return 'Change everything';
  return abilities.join(', ');
}
