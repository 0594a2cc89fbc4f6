import { isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { importableFields } from '../../schema/csv-import/fields.ts';
import { createInputs, type Kind } from '../../schema/csv-import/kind.ts';
import { kinds } from '../../schema/csv-import/kinds.ts';
import { toSchema } from '../../schema/index.ts';

const schema = toSchema();

const inputFields = (kind: Kind) =>
  createInputs(kind).flatMap((name) => {
    const input = schema.getType(name);
    if (!isInputObjectType(input)) throw new Error(`${name} is no input`);
    return Object.values(input.getFields());
  });

/** A kind that imports all fields of its inputs but pairs. */
const includingAll = (model: Kind['model']): Kind => {
  const kind = kinds.find((each) => each.model === model);
  if (!kind) throw new Error(`${model} can't be imported`);
  return { ...kind, excluded: { metadata: 'A column has one text.' } };
};

describe.each(kinds)('files of $model', (kind) => {
  it('have each field of the inputs that create it, or exclude it with a reason', () => {
    const importable = Object.keys(importableFields(kind));
    const excluded = Object.keys(kind.excluded);
    for (const { name } of inputFields(kind))
      expect(importable.includes(name), `${name} is either importable or excluded`).toBe(!excluded.includes(name));
    for (const reason of Object.values(kind.excluded)) expect(reason).toMatch(/^[A-Z].+\.$/);
  });
});

describe('a field of an input that the importer does not name', () => {
  it("is importable: its type, description, and whether it is required are the input's", () => {
    expect(importableFields(includingAll('Customer'))).toMatchObject({
      requiredEInvoice: { type: 'CHOICE', required: false, description: expect.stringMatching(/./) },
    });
  });

  it('stops the schema where no cell can be read as it', () => {
    expect(() => importableFields(includingAll('Project'))).toThrow('No cell can be read as customerId of Project');
  });
});

it('an excluded field that its input lacks is named', () => {
  const kind = { ...includingAll('Customer'), excluded: { faxNumber: 'Nobody has one.' } };
  expect(() => importableFields(kind)).toThrow('Customer excludes faxNumber, which its input lacks');
});
