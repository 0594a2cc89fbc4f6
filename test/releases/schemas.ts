// Whether JSON Schemas as descriptions of this service use them accept the same values.

export type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Keywords that say something about values. */
const compared = new Set(
  `$ref type anyOf oneOf discriminator enum const not readOnly default properties required additionalProperties
  propertyNames minProperties maxProperties items minItems maxItems contentSchema minLength maxLength pattern format minimum
  maximum multipleOf`.split(/\s+/),
);
const annotations = new Set(['description', 'title', 'deprecated', 'example', 'examples']);
const upper = ['maxLength', 'maxItems', 'maxProperties', 'maximum'];
const lower = ['minLength', 'minItems', 'minProperties', 'minimum'];

/** A schema of a document. */
export interface Placed {
  schema: Json;
  document: unknown;
}

/** Follows references. */
export function resolve(node: unknown, document: unknown): Json {
  if (!isObject(node)) return {};
  if (typeof node['$ref'] !== 'string') return node;
  const keys = node['$ref'].split('/').slice(1);
  return resolve(
    keys.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), document),
    document,
  );
}

/**
 * The promises about values that a released description made and a later one takes back, in words.
 * @param direction `in`: values that clients send, all of which must still be accepted. `out`: values that they get, all of
 * which must still be of the form that they know
 */
export function takenBack(before: Placed, after: Placed, direction: 'in' | 'out', at: string): string[] {
  return [...new Set(new Comparison(direction).compare(before, after, at))];
}

class Comparison {
  readonly #isSent: boolean;
  /** References that are being compared, which may contain themselves. */
  readonly #inProgress = new Set<string>();

  constructor(direction: 'in' | 'out') {
    this.#isSent = direction === 'in';
  }

  compare(before: Placed, after: Placed, at: string): string[] {
    const pair = [before, after].map(({ schema }) => schema['$ref']).join();
    if (this.#inProgress.has(pair)) return [];
    if (pair !== ',') this.#inProgress.add(pair);
    const found = this.#compareResolved(before, after, at);
    this.#inProgress.delete(pair);
    return found;
  }

  #compareResolved(before: Placed, after: Placed, at: string): string[] {
    const then = { ...before, schema: resolve(before.schema, before.document) };
    const now = { ...after, schema: resolve(after.schema, after.document) };
    if ('discriminator' in then.schema) return this.#compareUnions(then, now, at);
    return [
      ...(this.#isSent && now.schema['readOnly'] === true && then.schema['readOnly'] !== true
        ? [`${at}: is ignored`]
        : []),
      ...(same(then.schema['default'], now.schema['default']) ? [] : [`${at}: has another default`]),
      ...this.#compareKinds(then, now, at),
    ];
  }

  /** A union that names its kinds may get more of them, as events are added. */
  #compareUnions(before: Placed, after: Placed, at: string): string[] {
    const kinds = ({ schema }: Placed): Json[] => (schema['oneOf'] ?? []) as Json[];
    return kinds(before).flatMap((schema) => {
      const place = `${at}/${String(schema['$ref']).split('/').at(-1)}`;
      const now = kinds(after).find((each) => each['$ref'] === schema['$ref']);
      return now ? this.compare({ ...before, schema }, { ...after, schema: now }, place) : [`${place}: is gone`];
    });
  }

  /** Each kind of value that may come must be within one that is known. */
  #compareKinds(before: Placed, after: Placed, at: string): string[] {
    const [coming, known] = this.#isSent ? [kindsOf(before), kindsOf(after)] : [kindsOf(after), kindsOf(before)];
    return coming.flatMap((kind) => {
      const tried = known.filter((each) => isOfType(kind.type, each.type)).map((each) => this.#within(kind, each, at));
      const [first = [`${at}: ${this.#isSent ? 'no longer' : 'may be'} ${kind.type}`]] = tried;
      return tried.some((reasons) => reasons.length === 0) ? [] : first;
    });
  }

  /** Why a value of the one schema may be none of the other. */
  #within({ schema: one, ...inOne }: Kind, { schema: other, ...inOther }: Kind, at: string): string[] {
    const differs = (name: string): string =>
      `${at}: ${name} ${JSON.stringify(one[name])}, not within ${JSON.stringify(other[name])}`;
    const [values, allowed] = [valuesOf(one), valuesOf(other)];
    const step = Number(one['multipleOf']) / Number(other['multipleOf']);
    const isWithin: Record<string, boolean> = {
      ...Object.fromEntries(upper.map((name) => [name, Number(one[name]) <= Number(other[name])])),
      ...Object.fromEntries(lower.map((name) => [name, Number(one[name]) >= Number(other[name])])),
      pattern: same(one['pattern'], other['pattern']),
      format: same(one['format'], other['format']),
      not: same(one['not'], other['not']),
      multipleOf: step >= 1 && Math.abs(step - Math.round(step)) < 1e-9,
    };
    return [
      ...Object.entries(isWithin).flatMap(([name, is]) => (other[name] === undefined || is ? [] : [differs(name)])),
      ...(allowed && !values?.every((value) => allowed.includes(value))
        ? [`${at}: values ${JSON.stringify(values)}, not within ${JSON.stringify(allowed)}`]
        : []),
      ...this.#members({ schema: one, ...inOne }, { schema: other, ...inOther }, at),
    ];
  }

  #members(one: Kind, other: Kind, at: string): string[] {
    const [before, after] = this.#isSent ? [one, other] : [other, one];
    const inner = (name: string): string[] => {
      const [then, now] = [before.schema[name], after.schema[name]];
      if (this.#isSent ? now === undefined || now === true : then === undefined || then === true) return [];
      if (then === false || now === false)
        return then === now || !this.#isSent ? [] : [`${at}: accepts no other ${name}`];
      return this.compare(place(before, then), place(after, now), `${at}/${name}`);
    };
    const [had, has] = [propertiesOf(before), propertiesOf(after)];
    const properties = Object.entries(had).flatMap(([name, schema]) => {
      const now = has[name];
      return now ? this.compare(place(before, schema), place(after, now), `${at}/${name}`) : [`${at}/${name}: is gone`];
    });
    const always = requiredOf(one);
    const missing = requiredOf(other).filter((name) => !always.includes(name) && (this.#isSent || name in has));
    const what = this.#isSent ? 'is required' : 'may be missing';
    return [
      ...properties,
      ...missing.map((name) => `${at}/${name}: ${what}`),
      ...['items', 'additionalProperties', 'propertyNames', 'contentSchema'].flatMap(inner),
    ];
  }
}

const place = ({ document }: Placed, schema: unknown): Placed => ({ document, schema: isObject(schema) ? schema : {} });
const propertiesOf = ({ schema }: Placed): Record<string, Json> => (schema['properties'] ?? {}) as Record<string, Json>;
const requiredOf = ({ schema }: Placed): string[] => (schema['required'] ?? []) as string[];

function valuesOf(schema: Json): unknown[] | undefined {
  return schema['const'] !== undefined ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
}

interface Kind extends Placed {
  /** A type of JSON, or `anything`. */
  type: string;
}

const isOfType = (one: string, other: string): boolean =>
  one === other || other === 'anything' || (one === 'integer' && other === 'number');

/** A schema by the types of its values. @throws Error for a keyword that is not compared */
function kindsOf({ schema: reference, document }: Placed): Kind[] {
  const schema = resolve(reference, document);
  const unknown = Object.keys(schema).filter((name) => !compared.has(name) && !annotations.has(name));
  if (unknown.length > 0) throw new Error(`test/releases/schemas.ts compares no ${unknown.join()}`);
  if (Array.isArray(schema['anyOf']))
    return schema['anyOf'].flatMap((each) => kindsOf({ schema: isObject(each) ? each : {}, document }));
  const values = valuesOf(schema);
  const types = [schema['type'] ?? (values ? [...new Set(values.map(typeOf))] : 'anything')].flat() as string[];
  return types.map((type) => {
    const own = values?.filter((value) => isOfType(typeOf(value), type));
    return { type, document, schema: own ? { ...schema, enum: own, const: undefined } : schema };
  });
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Number.isInteger(value)) return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
};
