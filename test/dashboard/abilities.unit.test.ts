import { expect, it } from 'vitest';
import { abilityScopes, grantable } from '../../schema/graphql/ability.ts';
import { byResource, describeAbilities } from '../../src/dashboard/pages/settings/abilities.ts';

it('offers the ability to read and to write each resource, in that order; the audit log only to read', () => {
  expect([...byResource(grantable)]).toEqual(
    abilityScopes.map((scope) => [scope, scope === 'audit' ? ['audit:read'] : [`${scope}:read`, `${scope}:write`]]),
  );
});

it('summarizes the abilities of a token', () => {
  expect(describeAbilities(['*'])).toBe('Everything');
  expect(describeAbilities(['read', '*'])).toBe('Everything');
  expect(describeAbilities(['read'])).toBe('Read everything');
  expect(describeAbilities(['invoices:read', 'customers:write'])).toBe('invoices:read, customers:write');
});
