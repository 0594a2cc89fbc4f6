import { Prisma } from '../generated/client/client.ts';
import type { Column } from '../tables.ts';
import { toDecimal } from './decimal.ts';

/** The compiler doesn't support this query: Prisma has to run it. */
export class UnsupportedQuery extends Error {}

/** Converts one of Prisma's values into a parameter for `pg`. @throws UnsupportedQuery for a value of another type */
export type Encode = (value: unknown) => unknown;

/** Converts a value that PostgreSQL wrote as text, or in JSON, into Prisma's. Never called with null. */
export type Decode = (value: never) => unknown;

/** How a type's values are written and read. */
export interface Type {
  encode: Encode;
  /** Undefined where the text is the value. */
  fromText?: Decode;
  fromJson?: Decode;
  /** The SQL expression to select, and the one to put into JSON, where it isn't the column itself. */
  read?: (column: string) => string;
  readInJson?: (column: string) => string;
}

/** A value of another type is left to Prisma. */
function unsupported(): never {
  throw new UnsupportedQuery();
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);

const asText = (column: string): string => `${column}::text`;
// Independent of the connection's time zone and date format.
const asSeconds = (column: string): string => `date_part('epoch', ${column})`;
const time = (seconds: string | number): Date => new Date(Math.round(Number(seconds) * 1000));

const types: Record<string, Type> = {
  String: { encode: (value) => (typeof value === 'string' ? value : unsupported()) },
  Int: { encode: (value) => (isInteger(value) ? value : unsupported()), fromText: Number },
  BigInt: {
    encode: (value) => (typeof value === 'bigint' || isInteger(value) ? String(value) : unsupported()),
    fromText: BigInt,
    fromJson: BigInt,
    readInJson: asText,
  },
  Boolean: {
    encode: (value) => (typeof value === 'boolean' ? value : unsupported()),
    fromText: (text: string) => text === 't',
  },
  Decimal: {
    // The domain's decimals are those of decimal.js; Prisma has a copy of its own.
    encode: (value) =>
      typeof value === 'number' || typeof value === 'string' || Prisma.Decimal.isDecimal(value)
        ? String(value)
        : unsupported(),
    fromText: toDecimal,
    fromJson: toDecimal,
    readInJson: asText,
  },
  DateTime: {
    encode: (value) => (value instanceof Date ? value.toISOString() : unsupported()),
    fromText: time,
    fromJson: time,
    read: asSeconds,
  },
  Date: {
    encode: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : unsupported()),
    fromText: time,
    fromJson: time,
    read: asSeconds,
  },
  Bytes: {
    encode: (value) => (value instanceof Uint8Array ? value : unsupported()),
    fromText: (hex: string) => Uint8Array.fromHex(hex),
    fromJson: (hex: string) => Uint8Array.fromHex(hex),
    read: (column) => `encode(${column}, 'hex')`,
  },
  Json: { encode: unsupported, fromText: JSON.parse },
};

/** An encoder of lists, by that of a value. */
export const encodeEach =
  (encode: Encode): Encode =>
  (values) =>
    Array.isArray(values) ? values.map(encode) : unsupported();

/** @throws UnsupportedQuery for any other type */
export function findType({ type, native, isList, enumeration }: Column): Type {
  if (enumeration && !isList) {
    const { values } = enumeration;
    const names = new Map([...values].map(([name, value]) => [value, name]));
    const getName = (value: string): string | undefined => names.get(value);
    return { encode: (name) => values.get(name as string) ?? unsupported(), fromText: getName, fromJson: getName };
  }
  const found = types[native === 'Date' ? 'Date' : type];
  if (!found || native === 'Time' || native === 'Timetz') throw new UnsupportedQuery();
  if (!isList) return found;
  if (type !== 'String') throw new UnsupportedQuery();
  return {
    encode: unsupported,
    fromText: JSON.parse,
    read: (column) => `to_json(coalesce(${column}, '{}'))`,
  };
}
