import type { ApiValidator, Schema } from './description.ts';

/** A request that is valid or invalid by the description. */
export interface Case<Request> {
  request: Request;
  /** The field that 422 must name; undefined for a valid request. */
  invalidField: string | undefined;
}

// The description's outermost bounds of a number. Decimals have fewer digits, so they are not tested.
const outermost = 999_999_999_999_999;

/** Valid and invalid values for a schema, at each of its bounds. `usual` is a valid value. */
export function* values(schema: Schema, usual: unknown): Generator<[value: unknown, good: boolean]> {
  const types = new Set([schema.type ?? []].flat());
  const takes = (type: string): boolean => types.has(type);
  if (schema.readOnly) return yield ['whatever', true];
  yield [null, takes('null')];
  if (schema.enum) {
    for (const value of schema.enum) if (value !== null) yield [value, true];
    yield ['nonsense', false];
  } else if (takes('array')) {
    // Where it can be left out: any id.
    const [item] = (usual as unknown[] | null) ?? ['01900000-0000-7000-8000-000000000000'];
    const list = (length: number): unknown[] => Array.from({ length }, () => item);
    if (schema.minItems !== undefined)
      yield* [pair(list(schema.minItems), true), pair(list(schema.minItems - 1), false)];
    if (schema.maxItems !== undefined)
      yield* [pair(list(schema.maxItems), true), pair(list(schema.maxItems + 1), false)];
    yield ['x', false];
  } else if (takes('boolean')) {
    yield* [pair(true, true), pair(false, true), pair('yes', false), pair(1, false)];
  } else if (takes('number') || takes('integer')) {
    yield* numbers(schema, Number(usual)); // a parameter's is text
  } else if (takes('object') && schema.additionalProperties) {
    yield [{}, true];
    yield* [pair({ 'some key': 'x' }, true), pair({ key: 5 }, false), pair({ '': 'x' }, false), pair(['x'], false)];
    return yield ['x', false];
  } else if (takes('string')) {
    yield* texts(schema, usual as string);
  } else {
    throw new Error(`No values for ${JSON.stringify(schema)}`);
  }
  yield [{}, false];
}

const pair = (value: unknown, good: boolean): [unknown, boolean] => [value, good];

function* numbers(schema: Schema, usual: number): Generator<[unknown, boolean]> {
  const { minimum = -outermost, maximum = outermost, multipleOf, not, type = [] } = schema;
  const isWhole = type.includes('integer');
  if (minimum > -outermost && not?.const !== minimum) yield [minimum, true];
  if (maximum < outermost) yield [maximum, true];
  yield [minimum - 1, false];
  yield [maximum + 1, false];
  yield ['x', false];
  yield [true, false];
  if (isWhole) yield [usual + 0.5, false];
  else yield [String(usual), true];
  if (multipleOf !== undefined) yield [Number((usual + multipleOf).toFixed(10)), true];
  if (multipleOf !== undefined) yield [usual + multipleOf / 10, false];
  if (not?.const !== undefined) yield [not.const, false];
}

function* texts({ format, pattern, minLength, maxLength }: Schema, usual: string): Generator<[unknown, boolean]> {
  yield [usual, true];
  yield [5, false];
  yield [true, false];
  if (format) yield ['x', false];
  if (format === 'date') yield ['2026-02-30', false];
  if (pattern) {
    const others = [usual.toLowerCase(), usual.slice(1), `${usual}X`];
    yield* others.filter((text) => !new RegExp(pattern).test(text)).map((text) => pair(text, false));
  }
  if (maxLength !== undefined) yield [`${format === 'email' ? 'a@b.example' : ''}${'🦆'.repeat(maxLength + 1)}`, false];
  if (maxLength !== undefined && !format && !pattern) yield ['🦆'.repeat(maxLength), true];
  if (minLength === 1) yield* ['', ' '].map((text) => pair(text, false));
}

/** A schema without references. A union with null, or of a number and text, becomes a schema with several types. */
export function plain(validator: ApiValidator, schema: Schema): Schema {
  const [only, ...others] = schema.anyOf ?? [];
  if (!only) return validator.resolve(schema);
  const { type = [], ...rest } = validator.resolve(only);
  const isKnown = others.every((other) => other.type === 'null' || (other.type === 'string' && type === 'number'));
  if (!isKnown) throw new Error('Any other union has its own test to be written');
  return { ...rest, type: [type, ...others.map((other) => other.type ?? [])].flat() };
}

/** A rule between two fields, in words of their descriptions: what a body with a value of the one has for the other. */
const together: Record<string, (value: unknown, usual: Record<string, unknown>) => Record<string, unknown>> = {
  electronic_address: (value, { electronic_address_scheme: usual }) => ({
    electronic_address_scheme: value == null ? value : usual,
  }),
  // The category follows from the rate.
  vat_rate: () => ({ vat_category: undefined }),
  exemption_reason: (value) => (value == null ? {} : { vat_rate: 0, vat_category: 'E' }),
  electronic_address_scheme: (value, { electronic_address: usual }) => ({
    electronic_address: value == null ? value : usual,
  }),
};

/**
 * Valid and invalid bodies for an object's schema: each field omitted, each field set to each of its values, and an
 * unknown field added; the same for the items of its lists. If `whole`, the other fields are those of `usual`. Otherwise
 * a body has only the field in question.
 */
export function* bodies(
  validator: ApiValidator,
  reference: Schema,
  usual: Record<string, unknown>,
  whole: boolean,
): Generator<Case<object>> {
  const schema = validator.resolve(reference);
  const rest = whole ? usual : {};
  yield {
    request: { ...rest, nonsense: 1 },
    invalidField: schema.additionalProperties === false ? 'nonsense' : undefined,
  };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = plain(validator, property);
    const others = (value?: unknown) => together[name]?.(value, usual);
    if (whole) {
      const { [name]: _left, ...left } = usual;
      yield { request: { ...left, ...others() }, invalidField: schema.required?.includes(name) ? name : undefined };
    }
    for (const [value, good] of values(inner, usual[name]))
      yield { request: { ...rest, [name]: value, ...others(value) }, invalidField: good ? undefined : name };
    if (!inner.items || !validator.resolve(inner.items).properties) continue;
    const [item] = usual[name] as Record<string, unknown>[];
    for (const { request, invalidField } of bodies(validator, inner.items, item ?? {}, true)) {
      yield {
        request: { ...rest, [name]: [request] },
        invalidField: invalidField === undefined ? undefined : `${name}.0.${invalidField}`,
      };
    }
  }
}
