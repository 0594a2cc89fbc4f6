import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
} from 'graphql';
import { delegateName } from '../../../prisma/client.ts';
import { resources } from '../../../schema/resource-list.ts';
import type { fill } from '../../isolation/books.ts';
import { unknownId } from '../../rest/samples.ts';
import { aliasedSelection, pick, schema, type Random } from './hostile-aliases.ts';
import { valueAtBound } from './hostile-values.ts';
import { random, type Hostile } from './hostile.ts';
import { inputAt, leadsTo, listPaths, type SchemaField } from '../questions.ts';

// Generates documents with each input of each mutation and query at and beyond its bounds. The same seed gives the same
// document. The other inputs are mostly valid, so that the input in question is validated.

type Operation = 'mutation' | 'query';

/** Ids of existing rows, by the input's name, or by the type for an input named `id`. */
export type Ids = Record<string, string[]>;

export const collectIds = (books: Awaited<ReturnType<typeof fill>>): Ids => ({
  customerId: [books.customer],
  supplierId: [books.supplier],
  projectId: [books.project],
  webhookId: [books.webhook],
  matched: [books.invoice],
  'MatchInput.id': [books.invoice, books.receipt],
  'ExactMatchInput.id': [books.invoice, books.receipt],
  transactionId: [books.bankTransaction],
  ...Object.fromEntries(resources.map(({ model }) => [`${model}.id`, [books[delegateName(model)] ?? '']])),
  'Invoice.id': [books.invoice, books.draft],
  'Webhook.id': [books.webhook],
  'WebhookWithSecret.id': [books.webhook],
});

const listFields = (operation: Operation): SchemaField[] =>
  Object.values((operation === 'mutation' ? schema.getMutationType() : schema.getQueryType())!.getFields());

/** Each input with its field and its path in the field's arguments. */
const allInputs = (['mutation', 'query'] as const).flatMap((operation) =>
  listFields(operation).flatMap((field) => listPaths(field.args).map((path) => ({ operation, field, path }))),
);

/** The name of a filter's input, wherever the filter stands: `InvoiceFilter.status.eq`. Undefined for other inputs. */
function describeInFilter({ field, path }: (typeof allInputs)[number]): string | undefined {
  if (path[0] !== 'filter' || path.length === 1) return undefined;
  const typeAt = (at: string[]): string => getNamedType(inputAt(field.args, at).type).name;
  const owner = typeAt(path.slice(0, -1));
  return owner.endsWith('Filter')
    ? `${owner}.${path.at(-1)}`
    : `${typeAt(path.slice(0, -2))}.${path.slice(-2).join('.')}`;
}

/** Filters have thousands of inputs, most of them in filters within filters. Each is here once, and few more often. */
const known = new Set<string>();
const inputs = allInputs.filter((input, index) => {
  const described = describeInFilter(input);
  if (described === undefined || index % 60 === 0) return true;
  return !known.has(described) && known.add(described);
});

export const inputCount = inputs.length;

/** The name of the field of the document of a seed. */
export const fieldOf = (seed: number): string => inputs[seed % inputs.length]!.field.name;

/** Valid texts for inputs that do not accept every text. */
const usualTexts: Record<string, string> = {
  currency: 'EUR',
  country: 'DE',
  email: 'a@b.example',
  url: 'https://hooks.example/kontor',
  events: 'invoice.issued',
  abilities: 'customers:read',
  accountIban: 'DE02120300000000202051',
  dateFormat: 'YYYY-MM-DD',
  decimalSeparator: '.',
  delimiter: ';',
  encoding: 'utf-8',
  bookingDate: 'Date',
  amount: 'Amount',
};

const usualValues: Record<string, (r: Random) => unknown> = {
  Boolean: (r) => r(2) === 0,
  Int: (r) => 1 + r(100),
  Decimal: (r) => pick(r, ['1', '10', '0.01']),
  Date: () => '2026-03-01',
  DateTime: () => '2026-03-01T00:00:00Z',
  Upload: () => null, // the file is another part of the form
};

type Input = GraphQLArgument | GraphQLInputField;

/** Arguments of pages. A valid cursor is unknown here, and few of these can be combined. */
const ofPages = new Set(['after', 'before', 'last']);

const isRequired = (input: Input): boolean =>
  'defaultValue' in input && (isRequiredArgument(input as GraphQLArgument) || isRequiredInputField(input));

/** An import needs a column for several of its fields. They aren't required by type, because each may have a default. */
const isColumnOfImport = (owner: string, [argument]: string[]): boolean =>
  argument === 'columns' && owner.endsWith('ColumnsInput');

/** Whether to give an input that nothing asks for. Of filters few, as they have many inputs, and contain filters. */
function isAlsoGiven(r: Random, owner: string, at: string[]): boolean {
  if (owner.endsWith('Comparator')) return r(8) === 0;
  return owner.endsWith('Filter') ? at.length < 6 && r(20) === 0 : r(3) === 0;
}

/** Makes the arguments of a field, with the value at `path` at one of its bounds. */
function argumentsAtBound(r: Random, { field, path }: (typeof inputs)[number], ids: Ids): Record<string, unknown> {
  const hasMore = r(4) === 0;
  let isAtBound = false;
  const record = (owner: string, of: readonly Input[], at: string[]): Record<string, unknown> => {
    const given = of.filter(
      (input) =>
        leadsTo([...at, input.name], path) ||
        isRequired(input) ||
        isColumnOfImport(owner, at) ||
        (!ofPages.has(input.name) && isAlsoGiven(r, owner, at)),
    );
    return Object.fromEntries(given.map((input) => [input.name, value(owner, input.name, input.type, at)]));
  };
  const usual = (owner: string, name: string, type: GraphQLInputType, at: string[]): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return [usual(owner, name, nullable.ofType, at)];
    if (isInputObjectType(nullable)) return record(nullable.name, Object.values(nullable.getFields()), [...at, name]);
    if (isEnumType(nullable)) return pick(r, nullable.getValues()).name;
    if (nullable.name === 'UUID') return pick(r, ids[name] ?? ids[`${owner}.${name}`] ?? [unknownId]);
    const make = usualValues[nullable.name];
    return make ? make(r) : (usualTexts[name] ?? 'x');
  };
  const value = (owner: string, name: string, type: GraphQLInputType, at: string[]): unknown => {
    const isTheOne = path.join() === [...at, name].join();
    // A list at its bound, of values at theirs, may be longer than a string can be.
    const isMore = hasMore && !isAtBound && !leadsTo([...at, name], path) && r(5) === 0;
    if (!isTheOne && !isMore) return usual(owner, name, type, at);
    isAtBound = true;
    const made = valueAtBound(r, getNullableType(type), (of) => usual(owner, name, of, at));
    isAtBound = false;
    return made;
  };
  return record(getNamedType(field.type).name, field.args, []);
}

/** Consecutive seeds use each input in turn. */
export function hostileInput(seed: number, ids: Ids = {}): Hostile {
  const r = random(seed);
  const input = inputs[seed % inputs.length]!;
  const { operation, field } = input;
  const variables = argumentsAtBound(r, input, ids);
  const given = field.args.filter(({ name }) => Object.hasOwn(variables, name));
  const list = (text: (arg: GraphQLArgument) => string): string =>
    given.length > 0 ? `(${given.map(text).join(', ')})` : '';
  const declared = list(({ name, type }) => `$${name}: ${String(type)}`);
  const passed = list(({ name }) => `${name}: $${name}`);
  const query = `${operation} ${declared} { then: ${field.name}${passed} ${aliasedSelection(r, field.type)} }`;
  const body = JSON.stringify({ query, variables });
  const upload = given.find(({ type }) => getNamedType(type).name === 'Upload');
  const made = { family: `inputs of a ${operation}`, about: `${field.name}: ${input.path.join('.')}` };
  if (!upload || variables[upload.name] !== null) return { ...made, body };
  return { ...made, ...withFile(body, `variables.${upload.name}`) };
}

/** The body as a form with a small CSV file for a variable. */
function withFile(operations: string, at: string): Pick<Hostile, 'body' | 'type'> {
  const boundary = 'hostile-input';
  const parts = [
    ['name="operations"', operations],
    ['name="map"', JSON.stringify({ file: [at] })],
    ['name="file"; filename="x.csv"\r\nContent-Type: text/csv', 'Date;Amount;x\n2026-03-01;1.00;y\n'],
  ];
  const written = parts.map(
    ([head, text]) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`,
  );
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${written.join('')}--${boundary}--\r\n` };
}
