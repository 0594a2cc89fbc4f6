import { any, type Answered, type Asked, type Exchange, type Json } from './exchanges.ts';

// Values that differ each time have placeholders in a recording: `{time}`, `{id:1}`, `{text:1}`, `{any}`. The same
// placeholder is the same value, in later requests as well.

const idForm = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const timeForm = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d:\d\d|Z)`;
const ids = new RegExp(idForm, 'g');
const times = new RegExp(timeForm, 'g');
const placeholders = /\{(?:id|text):\d+\}/g;
/** The separators between the parts of an address. */
const separators = /([/?&=]+)/;
const isAddress = (text: string): boolean => /^https?:/.test(text);
/** Shorter texts could be in a request by chance. */
const shortest = 12;

type Raw = { asked: Asked; answered: Answered } | { event: string };
const isAsked = (each: Exchange): each is { asked: Asked; answered: Answered } => 'asked' in each;

/**
 * Two recordings of the same life as one with placeholders: for ids and times, and for whatever differs between the two.
 * @throws Error where they differ in more than values
 */
export function toComparable(first: readonly Raw[], second: readonly Raw[]): Exchange[] {
  const names = new Map<string, string>();
  const texts: string[] = [];
  const name = (kind: 'id' | 'text', value: string): string => {
    const known = names.get(value) ?? `{${kind}:${names.size}}`;
    if (!names.has(value) && kind === 'text' && value.length >= shortest) texts.push(value);
    names.set(value, known);
    return known;
  };
  const named = (text: string): string => text.replace(times, '{time}').replace(ids, (id) => name('id', id));
  const shape = (text: string): string => text.replace(times, '{time}').replace(ids, '{id}');

  function asked(node: Json): Json {
    return mapTexts(node, (text) => {
      const withTexts = texts.reduce((part, each) => part.replaceAll(each, () => names.get(each) ?? each), text);
      // An id of no answer is the request's own.
      return withTexts.replace(ids, (id) => names.get(id) ?? (names.set(id, id), id));
    });
  }

  function answered(one: Json | undefined, other: Json | undefined, at: string): Json {
    if (typeof one === 'string' && typeof other === 'string') return answeredText(one, other);
    if (isList(one) && isList(other) && one.length === other.length)
      return one.map((each, index) => answered(each, other[index], `${at}/${index}`));
    if (isRecord(one) && isRecord(other) && Object.keys(one).join() === Object.keys(other).join())
      return Object.fromEntries(
        Object.entries(one).map(([key, each]) => [key, answered(each, other[key], `${at}/${key}`)]),
      );
    if (typeof one === 'number' && typeof other === 'number') return one === other ? one : any;
    if (one === other && one !== undefined) return one;
    throw new Error(`${at} is not the same each time: ${JSON.stringify(one)}, ${JSON.stringify(other)}`);
  }

  function answeredText(one: string, other: string): string {
    if (shape(one) === shape(other)) return named(one);
    const [parts, others] = [one.split(separators), other.split(separators)];
    if (!isAddress(one) || parts.length !== others.length) return name('text', one);
    return parts
      .map((part, at) => (shape(part) === shape(others[at] ?? '') ? named(part) : name('text', part)))
      .join('');
  }

  if (first.length !== second.length) throw new Error('Not the same requests each time');
  return first.map((each, at) => {
    const again = second[at];
    if (!isAsked(each) || !again || !isAsked(again)) return each;
    const request = asked(each.asked as unknown as Json) as unknown as Asked;
    const { method, path } = request;
    const answer = answered(toJson(each.answered), toJson(again.answered), `${at}: ${method} ${path}`);
    return { asked: request, answered: answer as unknown as Answered };
  });
}

/** A value that isn't answered as it was. */
interface Difference {
  at: string;
  was: string;
  now: string;
}

/** Gives requests the values of this time, and compares answers with those that were recorded. */
export class Comparison {
  readonly #values = new Map<string, string>();
  /** The last version of each row, by its id: the recorded one, and that of this time. */
  readonly #versions = new Map<string, { was: number; is: number }>();

  /** A recorded request, with this time's ids. */
  fill(asked: Asked): Asked {
    return mapTexts(toJson(asked), (text) =>
      text.replace(placeholders, (name) => this.#values.get(name) ?? name),
    ) as unknown as Asked;
  }

  /** The parts of the recorded answer that the present one lacks. A new part is no difference. */
  differences(then: Answered, now: Answered): Difference[] {
    return this.#compare(toJson(then), toJson(now), '');
  }

  #compare(then: Json, now: Json | undefined, at: string): Difference[] {
    if (then === any && now !== undefined) return [];
    if (isRecord(then) && isRecord(now))
      return Object.entries(then).flatMap(([key, each]) =>
        key === 'version' && typeof each === 'number'
          ? this.#compareVersions(each, now[key], `${at}/${key}`, now['id'])
          : this.#compare(each, now[key], `${at}/${key}`),
      );
    if (isList(then) && isList(now) && openLists.test(at)) {
      const isThere = (each: Json): boolean => now.some((one) => this.#compare(each, one, '').length === 0);
      return then.filter((each) => !isThere(each)).map((each) => ({ at, was: short(each), now: short(now) }));
    }
    if (isList(then) && isList(now) && then.length === now.length)
      return then.flatMap((each, index) => this.#compare(each, now[index], `${at}/${index}`));
    if (typeof then === 'string' && typeof now === 'string' && this.#matches(then, now)) return [];
    // The hash of a body, which new members change.
    if (at === '/headers/etag' && typeof now === 'string') return [];
    return then === now ? [] : [{ at, was: short(then), now: short(now) }];
  }

  /**
   * A row's version grows where it grew, and stays where it stayed. By how much it grows, which is in how many writes a change is
   * made, isn't promised.
   */
  #compareVersions(then: number, now: Json | undefined, at: string, id: Json | undefined): Difference[] {
    const row = typeof id === 'string' ? id : at;
    const before = this.#versions.get(row) ?? { was: 0, is: 0 };
    const isSame = typeof now === 'number' && Math.sign(then - before.was) === Math.sign(now - before.is);
    if (typeof now === 'number') this.#versions.set(row, { was: then, is: now });
    return isSame ? [] : [{ at, was: short(then), now: short(now) }];
  }

  #matches(then: string, now: string): boolean {
    const names: string[] = [];
    const pattern = then.split(/(\{(?:(?:id|text):\d+|time)\})/).map((part) => {
      if (part === '{time}') return timeForm;
      const [, kind] = /^\{(id|text):\d+\}$/.exec(part) ?? [];
      if (kind === undefined) return RegExp.escape(part);
      const known = this.#values.get(part);
      if (known !== undefined) return RegExp.escape(known);
      if (names.includes(part)) return `\\${names.indexOf(part) + 1}`;
      names.push(part);
      if (kind === 'id') return `(${idForm})`;
      return part === then ? '([^]+)' : '([^/?&=]+)';
    });
    const found = new RegExp(`^${pattern.join('')}$`).exec(now);
    for (const [index, name] of names.entries()) if (found?.[index + 1]) this.#values.set(name, found[index + 1]!);
    return found !== null;
  }
}

/** Lists of a document's warnings, or of a request's problems: there may be more, in another order. */
const openLists = /\/(warnings|details)$/;

const short = (value: Json | undefined): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
const isList = (value: Json | undefined): value is Json[] => Array.isArray(value);
const isRecord = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

function mapTexts(node: Json, map: (text: string) => string): Json {
  if (typeof node === 'string') return map(node);
  if (isList(node)) return node.map((each) => mapTexts(each, map));
  if (!isRecord(node)) return node;
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, mapTexts(each, map)]));
}
