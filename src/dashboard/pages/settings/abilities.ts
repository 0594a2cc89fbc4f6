import { t } from '../../i18n/t.ts';

/** The abilities for single resources, by resource: `invoices:read` and `invoices:write` under `invoices`. */
export const byResource = (abilities: readonly string[]): Map<string, string[]> =>
  Map.groupBy(
    abilities.filter((ability) => ability.includes(':')),
    (ability) => ability.slice(0, ability.indexOf(':')),
  );

/** Describes the abilities of a token. */
export function describeAbilities(abilities: readonly string[]): string {
  if (abilities.includes('*')) return t('Everything');
  if (abilities.length === 1 && abilities[0] === 'read') return t('Read everything');
  if (abilities.length === 1 && abilities[0] === 'write') return t('Change everything');
  return abilities.join(', ');
}
