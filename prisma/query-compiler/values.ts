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

const encoderFor =
  <Value>(isValid: (value: unknown) => value is Value, convert: (value: Value) => unknown): Encode =>
  (value) => {
    if (!isValid(value)) throw new UnsupportedQuery();
    return convert(value);
  };
const asIs = (value: unknown): unknown => value;
const isString = (value: unknown): value is string => typeof value === 'string';
const isInteger = (value: unknown): value is number => Number.isInteger(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isDate = (value: unknown): value is Date => value instanceof Date;
const isBigInt = (value: unknown): value is bigint | number => typeof value === 'bigint' || isInteger(value);
// The domain's decimals are those of decimal.js; Prisma has a copy of its own.
const isDecimal = (value: unknown): value is Prisma.Decimal | number | string =>
  typeof value === 'number' || typeof value === 'string' || Prisma.Decimal.isDecimal(value);
const isNone = (_value: unknown): _value is never => false;

const asText = (column: string): string => `${column}::text`;
// Independent of the connection's time zone and date format.
const asSeconds = (column: string): string => `date_part('epoch', ${column})`;
const time = (seconds: string | number): Date => new Date(Math.round(Number(seconds) * 1000));

const types: Record<string, Type> = {
  String: { encode: encoderFor(isString, asIs) },
  Int: { encode: encoderFor(isInteger, asIs), fromText: Number },
  BigInt: { encode: encoderFor(isBigInt, String), fromText: BigInt, fromJson: BigInt, readInJson: asText },
  Boolean: { encode: encoderFor(isBoolean, asIs), fromText: (text: string) => text === 't' },
  Decimal: { encode: encoderFor(isDecimal, String), fromText: toDecimal, fromJson: toDecimal, readInJson: asText },
  DateTime: {
    encode: encoderFor(isDate, (date) => date.toISOString()),
    fromText: time,
    fromJson: time,
    read: asSeconds,
  },
  Date: {
    encode: encoderFor(isDate, (date) => date.toISOString().slice(0, 10)),
    fromText: time,
    fromJson: time,
    read: asSeconds,
  },
  Bytes: {
    encode: encoderFor(isBytes, asIs),
    fromText: (hex: string) => Uint8Array.fromHex(hex),
    fromJson: (hex: string) => Uint8Array.fromHex(hex),
    read: (column) => `encode(${column}, 'hex')`,
  },
  Json: { encode: encoderFor(isNone, asIs), fromText: JSON.parse },
};

/** @throws UnsupportedQuery for any other type */
export function findType({ type, native, isList, enumeration }: Column): Type {
  if (enumeration && !isList) {
    const { values } = enumeration;
    const names = new Map([...values].map(([name, value]) => [value, name]));
    const isName = (value: unknown): value is string => values.has(value as string);
    const getName = (value: string): string | undefined => names.get(value);
    return { encode: encoderFor(isName, (name) => values.get(name)), fromText: getName, fromJson: getName };
  }
  const found = types[native === 'Date' ? 'Date' : type];
  if (!found || native === 'Time' || native === 'Timetz') throw new UnsupportedQuery();
  if (!isList) return found;
  if (type !== 'String') throw new UnsupportedQuery();
  return {
    encode: encoderFor(isNone, asIs),
    fromText: JSON.parse,
    read: (column) => `to_json(coalesce(${column}, '{}'))`,
  };
}
