import { describe, expect, it } from 'vitest';
import { toSchema } from '../../schema/index.ts';
import { importableFields } from '../../schema/csv-import/fields.ts';
import { kinds } from '../../schema/csv-import/kinds.ts';
import { presetFile, presets, type PresetName } from '../../schema/csv-import/presets.ts';

toSchema();
const files = (Object.keys(presets) as PresetName[]).flatMap((name) =>
  kinds.flatMap((kind) => {
    const file = presetFile(name, kind);
    return file ? [{ name, kind, model: kind.model, file }] : [];
  }),
);

describe.each(files)('the preset $name for $model', ({ kind, file }) => {
  it('names fields of these records only', () => {
    const known = Object.keys(importableFields(kind));
    for (const named of [file.columns, file.defaults, file.replacements])
      expect(known).toEqual(expect.arrayContaining(Object.keys(named)));
  });

  it('has a column or a default for each required field', () => {
    const required = Object.entries(importableFields(kind)).flatMap(([name, field]) => (field.required ? name : []));
    expect([...Object.keys(file.columns), ...Object.keys(file.defaults)]).toEqual(expect.arrayContaining(required));
  });
});
