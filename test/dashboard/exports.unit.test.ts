import { expect, it } from 'vitest';
import { listKinds } from '../../schema/resources/export/kinds.ts';
import { lists } from '../../src/dashboard/pages/exports/texts.ts';

it('the dialog asks for a period where a list has days', () => {
  const dated = Object.entries(listKinds).map(([name, { isDated }]) => [name, { isDated }]);
  expect(lists).toEqual(Object.fromEntries(dated));
});
