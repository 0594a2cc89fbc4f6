import { expect, it } from 'vitest';
import { importableFields } from '../../schema/csv-import/fields.ts';
import { kinds } from '../../schema/csv-import/kinds.ts';
import { events } from '../../schema/events/events.ts';
import { toSchema } from '../../schema/index.ts';
import german from '../../src/dashboard/i18n/de.json' with { type: 'json' };

const withoutGerman = (names: string[]): string[] => names.filter((name) => !Object.hasOwn(german, `api: ${name}`));

it('every event that a webhook can be sent is described in German', () => {
  expect(withoutGerman(Object.values(events).map((description) => `When ${description}`))).toEqual([]);
});

it('every field that an import can fill is described in German', () => {
  toSchema();
  const fields = kinds.flatMap((kind) => Object.values(importableFields(kind)));
  expect(withoutGerman(fields.map(({ description }) => description))).toEqual([]);
});
