import { Prisma } from '../generated/client/client.ts';
import type { Column } from '../tables.ts';
import { decimalOf } from './decimal.ts';

/** The compiler doesn't support this query: Prisma has to run it. */
export class UnsupportedQuery extends Error {}

/** Converts a value of Prisma's into a parameter for `pg`. @throws UnsupportedQuery where it is not of the type */
export type Encode = (value: unknown) => unknown;

/** Converts a value that PostgreSQL wrote as text, or in JSON, into Prisma's. Never called with null. */
export type Decode = (value: never) => unknown;

/** How a type's values are written and read. */
export interface Type {
  encode: Encode;
  /** Undefined where the text is the value. */
  ofText?: Decode;
  ofJson?: Decode;
  /** The SQL expression to select, and the one to put into JSON, where it isn't the column itself. */
  read?: (column: string) => string;
  readInJson?: (column: string) => string;
}

const taking =
  <Value>(is: (value: unknown) => value is Value, written: (value: Value) => unknown): Encode =>
  (value) => {
    if (!is(value)) throw new UnsupportedQuery();
    return written(value);
  };
const asIs = (value: unknown): unknown => value;
const isString = (value: unknown): value is string => typeof value === 'string';
const isInteger = (value: unknown): value is number => Number.isInteger(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isDate = (value: unknown): value is Date => value instanceof Date;
const isBigInt = (value: unknown): value is bigint | number => typeof value === 'bigint' || isInteger(value);
// The domain's decimals are decimal.js's; Prisma's own is another copy of that.
const isDecimal = (value: unknown): value is Prisma.Decimal | number | string =>
  typeof value === 'number' || typeof value === 'string' || Prisma.Decimal.isDecimal(value);
const isNone = (_value: unknown): _value is never => false;

const asText = (column: string): string => `${column}::text`;
// Whatever time zone and format the connection is set to.
const asSeconds = (column: string): string => `date_part('epoch', ${column})`;
const time = (seconds: string | number): Date => new Date(Math.round(Number(seconds) * 1000));

const types: Record<string, Type> = {
  String: { encode: taking(isString, asIs) },
  Int: { encode: taking(isInteger, asIs), ofText: Number },
  BigInt: { encode: taking(isBigInt, String), ofText: BigInt, ofJson: BigInt, readInJson: asText },
  Boolean: { encode: taking(isBoolean, asIs), ofText: (text: string) => text === 't' },
  Decimal: { encode: taking(isDecimal, String), ofText: decimalOf, ofJson: decimalOf, readInJson: asText },
  DateTime: {
    encode: taking(isDate, (date) => date.toISOString()),
    ofText: time,
    ofJson: time,
    read: asSeconds,
  },
  Date: {
    encode: taking(isDate, (date) => date.toISOString().slice(0, 10)),
    ofText: time,
    ofJson: time,
    read: asSeconds,
  },
  Bytes: {
    encode: taking(isBytes, asIs),
    ofText: (hex: string) => Uint8Array.fromHex(hex),
    ofJson: (hex: string) => Uint8Array.fromHex(hex),
    read: (column) => `encode(${column}, 'hex')`,
  },
  Json: { encode: taking(isNone, asIs), ofText: JSON.parse },
};

/** @throws UnsupportedQuery for any other type */
export function typeOf({ type, native, isList, enumeration }: Column): Type {
  if (enumeration && !isList) {
    const { values } = enumeration;
    const names = new Map([...values].map(([name, value]) => [value, name]));
    const isName = (value: unknown): value is string => values.has(value as string);
    const nameOf = (value: string): string | undefined => names.get(value);
    return { encode: taking(isName, (name) => values.get(name)), ofText: nameOf, ofJson: nameOf };
  }
  const found = types[native === 'Date' ? 'Date' : type];
  if (!found || native === 'Time' || native === 'Timetz') throw new UnsupportedQuery();
  if (!isList) return found;
  if (type !== 'String') throw new UnsupportedQuery();
  return { encode: taking(isNone, asIs), ofText: JSON.parse, read: (column) => `to_json(coalesce(${column}, '{}'))` };
}
