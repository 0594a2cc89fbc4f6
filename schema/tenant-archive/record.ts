import { isInputObjectType, type GraphQLSchema } from 'graphql';
import type { Column, NewRow, Row, Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { Problems, type FieldErrors } from '../errors/errors.ts';
import { getBounds, hasAtMost } from '../graphql/input/validators.ts';
import { validateArguments, type Input } from '../graphql/input/validate-arguments.ts';
import { createAuditReader } from './audit-entries.ts';
import {
  hasItems,
  isObject,
  itemModels,
  readValue,
  recordColumns,
  recordTypes,
  ValueError,
  type ItemModel,
  type RecordType,
} from './format.ts';
import { checkRows } from './record-rules.ts';

/** Replaces the id of a user who isn't a member here. */
export type UserIds = ReadonlyMap<string, string>;

/** Reads a record's fields as the rows to write; says what is wrong with them. */
export type RecordReader = (type: RecordType, fields: Record<string, unknown>) => Rows | FieldErrors;

export const isRefused = (read: Rows | FieldErrors): read is FieldErrors => Object.values(read).some(isMessages);

const isMessages = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'string';

type Model = RecordType['model'] | ItemModel;

/** @param schema whose inputs have the bounds of the fields */
export function createRecordReader(context: Context, schema: GraphQLSchema, userIds: UserIds): RecordReader {
  const { db } = context;
  const readAuditEntry = createAuditReader(context);
  const inputs = new Map<Model, ReturnType<typeof getInputFields>>();
  for (const { model, input } of recordTypes) inputs.set(model, getInputFields(schema, input));
  for (const { model, input } of Object.values(itemModels)) inputs.set(model, getInputFields(schema, input));

  /** @returns undefined where the fields make no row */
  function readRow<Of extends Model>(
    model: Of,
    fields: Record<string, unknown>,
    problems: Problems,
    path = '',
  ): Row<Of> | undefined {
    const own = new Problems();
    const columns = recordColumns(model);
    const values = readColumns(columns, fields, own);
    // A receipt that reverses another has the opposite of what was prepaid.
    const isFree = (name: string): boolean => name === 'amountPrepaid' && values['reversalOfId'] != null;
    const named = (inputs.get(model) ?? []).filter(({ name }) => values[name] != null && !isFree(name));
    const checked = validateArguments(named, pick(values, named), own);
    const texts = ownTexts(named, values, checked, own);
    for (const [at, ofField] of Object.entries(own.byField)) {
      const name = columns.find((column) => column.name === at)?.column ?? at;
      for (const problem of ofField) problems.add(path + name, ...problem);
    }
    // Each value is of its column's type.
    return own.any ? undefined : db.row(model, { ...values, ...checked, ...texts } as NewRow<Of>);
  }

  /** The rows of a record with items. */
  function withItems<Of extends keyof typeof itemModels>(
    model: Of,
    fields: Record<string, unknown>,
    problems: Problems,
  ): { row: Row<Of>; items: Row<(typeof itemModels)[Of]['model']>[] } | undefined {
    const of: (typeof itemModels)[keyof typeof itemModels] = itemModels[model];
    const itemModel: (typeof itemModels)[Of]['model'] = itemModels[model].model;
    const { field, refersBy, min, max } = of;
    const { [field]: items = min === 0 ? [] : undefined, ...own } = fields;
    const row = readRow(model, own, problems);
    if (!Array.isArray(items) || items.length < min || items.length > max) {
      problems.add(field, 'wrong_count', `Must have ${min} to ${max} ${field}.`, { min, max });
      return undefined;
    }
    const id = (row as { id: string } | undefined)?.id ?? noId;
    const rows = items.map((item, index) => {
      const at = `${field}.${index}`;
      if (!isObject(item)) return void problems.add(at, 'wrong_type', 'Must be an object.', { expected: 'object' });
      for (const name of [refersBy, 'position'])
        if (name in item) problems.add(`${at}.${name}`, 'unknown_field', unknownField);
      const place = { [refersBy]: id, position: index + 1 };
      return readRow(itemModel, { ...item, ...place }, problems, `${at}.`);
    });
    const lines = rows.filter((each) => each !== undefined);
    return row && lines.length === rows.length ? { row, items: lines } : undefined;
  }

  /** Nothing where the fields make no row. */
  function readRows(model: RecordType['model'], fields: Record<string, unknown>, problems: Problems): Rows {
    if (model === 'AuditEntry') {
      const entry = readAuditEntry(fields, problems);
      return entry ? { AuditEntry: [entry] } : {};
    }
    if (hasItems(model)) {
      const read = withItems(model, fields, problems);
      return read ? { [model]: [read.row], [itemModels[model].model]: read.items } : {};
    }
    const row = readRow(model, fields, problems);
    return row ? { [model]: [row] } : {};
  }

  return ({ model }, fields) => {
    const problems = new Problems();
    const rows = readRows(model, fields, problems);
    checkRows(rows, problems);
    for (const byUser of [rows.TimeEntry?.[0], rows.PeriodLock?.[0], rows.Payment?.[0]])
      if (byUser?.userId) byUser.userId = userIds.get(byUser.userId) ?? byUser.userId;
    return problems.any ? problems.errors : rows;
  };
}

const noId = '00000000-0000-0000-0000-000000000000';
const unknownField = 'This field is not known here.';

function getInputFields(schema: GraphQLSchema, name: string | null) {
  if (name === null) return [];
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`There is no input ${name}`);
  return Object.values(type.getFields()).filter((field) => !(notAsInput[name] ?? ownRules).includes(field.name));
}

/** The state isn't restricted here as it is for new rows. Items are read one by one. */
const ownRules = ['status', 'items', 'lines'];
/**
 * The fields of an input that rows may have otherwise: imports of statements keep what a bank sent, and a payment has the sign of its
 * receipt.
 */
const notAsInput: Record<string, string[]> = {
  CreateBankAccountInput: ['iban', 'currency'],
  MatchInput: ['id', 'amount', 'exchangeAmount'],
};

const pick = (values: Record<string, unknown>, inputs: { name: string }[]): Record<string, unknown> =>
  Object.fromEntries(inputs.map(({ name }) => [name, values[name]]));

/**
 * The texts as the file has them. Validators take away the spaces around a text before they check it, but a record must come back
 * as it was: its proof is of that text. So the text itself must have the bounds as well, and a code or an address has no spaces.
 */
function ownTexts(
  inputs: readonly Input[],
  values: Record<string, unknown>,
  checked: Record<string, unknown>,
  problems: Problems,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, extensions } of inputs) {
    const [text, valid] = [values[name], checked[name]];
    if (typeof text !== 'string' || valid === undefined || text === valid) continue;
    const { validate } = (extensions['pothosOptions'] ?? {}) as { validate?: unknown };
    const { maxLength: max, pattern, format: form } = getBounds(validate);
    if (pattern !== undefined || form !== undefined)
      problems.add(name, 'invalid_format', 'Must not begin or end with spaces.');
    else if (max !== undefined && !hasAtMost(max, text))
      problems.add(name, 'too_long', `Must not be longer than ${max} characters.`, { max });
    texts[name] = text;
  }
  return texts;
}

/** The values by the names of the domain. A field that is left out gets its column's default, if there is one. */
function readColumns(columns: Column[], fields: Record<string, unknown>, problems: Problems): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const known = new Set(columns.map(({ column }) => column));
  for (const name of Object.keys(fields)) if (!known.has(name)) problems.add(name, 'unknown_field', unknownField);
  for (const column of columns) {
    const value = Object.hasOwn(fields, column.column) ? fields[column.column] : undefined;
    if (value === undefined || value === null) {
      if (value === null && !column.nullable) problems.add(column.name, 'not_nullable', 'Must not be null.');
      else if (!column.nullable && column.initial === null) problems.add(column.name, 'required', 'Required.');
      continue;
    }
    try {
      values[column.name] = readValue(column, value);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      problems.add(column.name, 'invalid_format', error.message);
    }
  }
  return values;
}
