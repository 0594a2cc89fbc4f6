import type { PothosInputFieldType } from '@pothos/core';
import { builder } from '../graphql/builder.ts';
import { modelComment } from '../graphql/plugins/descriptions.ts';
import { createInputs, type CellType, type ImportableField, type Kind } from './kind.ts';

const cellTypes: Readonly<Record<string, CellType>> = {
  String: 'TEXT',
  Date: 'DAY',
  Decimal: 'DECIMAL',
  Int: 'INTEGER',
  Boolean: 'BOOLEAN',
};

const derived = new WeakMap<Kind, Readonly<Record<string, ImportableField>>>();

/**
 * The fields of records by their names in `columns`, derived from the inputs that create such records. To be called when the
 * schema is built, or later.
 * @throws Error for a field of an input that no cell can be read as, unless it is excluded
 */
export function importableFields(kind: Kind): Readonly<Record<string, ImportableField>> {
  let fields = derived.get(kind);
  if (!fields) derived.set(kind, (fields = deriveFields(kind)));
  return fields;
}

function deriveFields(kind: Kind): Record<string, ImportableField> {
  const inputFields = new Map(createInputs(kind).flatMap((input) => readInput(input, kind)));
  for (const name of Object.keys(kind.excluded))
    if (!inputFields.delete(name)) throw new Error(`${kind.model} excludes ${name}, which its input lacks`);
  const names = new Set([...Object.keys(kind.fields), ...inputFields.keys()]);
  return Object.fromEntries(
    [...names].map((name) => {
      const { type, description, required = false, ...rest } = { ...inputFields.get(name), ...kind.fields[name] };
      if (!type) throw new Error(`No cell can be read as ${name} of ${kind.model}: declare its type, or exclude it`);
      if (description === undefined) throw new Error(`${name} of ${kind.model} has no description`);
      return [name, { type, description, required, ...rest }];
    }),
  );
}

/** Reads an input's fields as Pothos knows them while it builds the schema. */
function readInput(input: string, kind: Kind): [name: string, field: Partial<ImportableField>][] {
  const fields = [...builder.configStore.getFields(input).values()];
  if (fields.length === 0) throw new Error(`${input} must be declared before what imports ${kind.model}`);
  return fields.flatMap((field) => {
    if (field.graphqlKind !== 'InputObject') return [];
    const { name, type } = field;
    const cellType = findCellType(type);
    const description = field.description ?? modelComment(input, name);
    return [
      [name, { required: type.required, ...(cellType && { type: cellType }), ...(description && { description }) }],
    ];
  });
}

function findCellType(type: PothosInputFieldType<typeof builder.$inferSchemaTypes>): CellType | undefined {
  if (type.kind === 'Enum') return 'CHOICE';
  return type.kind === 'Scalar' ? cellTypes[builder.configStore.getTypeConfig(type.ref).name] : undefined;
}
