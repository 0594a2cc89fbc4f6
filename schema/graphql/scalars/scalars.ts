import { GraphQLError, Kind, valueFromASTUntyped, type ValueNode } from 'graphql';
import { builder } from '../builder.ts';
import { formatDay, formatTime, parseDay } from './days.ts';
import { Decimal } from '../../money/money.ts';

export { formatDay, formatTime, parseDay } from './days.ts';

// Scalars check the form of a value. The bounds of each field are checked by its own validator (input/validators.ts).
// Messages are for the person who sent the value.

const invalid = (message: string): GraphQLError => new GraphQLError(message);

/** Parses a value within a document. graphql-js reports a GraphQLError as it is, and so without the value's place. */
export const literalParser =
  <Value>(parse: (value: unknown) => Value) =>
  (node: ValueNode, variables?: Parameters<typeof valueFromASTUntyped>[1]): Value => {
    try {
      return parse(valueFromASTUntyped(node, variables));
    } catch (error) {
      throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
    }
  };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (value: unknown): value is string => typeof value === 'string' && uuid.test(value);

function parseUuid(value: unknown): string {
  if (!isUuid(value)) throw invalid('Must be a UUID.');
  return value.toLowerCase();
}

builder.scalarType('UUID', {
  description: 'A UUID in its canonical form, `0190a1b2-…`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
  parseValue: parseUuid,
  parseLiteral: literalParser(parseUuid),
});

function parseDate(value: unknown): Date {
  const day = value instanceof Date ? value : parseDay(value);
  if (!day) throw invalid('Must be a calendar day, YYYY-MM-DD.');
  return day;
}

builder.scalarType('Date', {
  description: 'A calendar day, `YYYY-MM-DD`.',
  serialize: formatDay,
  parseValue: parseDate,
  parseLiteral: literalParser(parseDate),
});

function parseDateTime(value: unknown): Date {
  if (value instanceof Date) return value;
  const time = parseTime(value);
  // PostgreSQL has no year 0.
  if (!time || time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999)
    throw invalid('Must be a time, ISO 8601 with offset.');
  return time;
}

function parseTime(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return new Date(Temporal.Instant.from(value).epochMilliseconds);
  } catch {
    return undefined;
  }
}

builder.scalarType('DateTime', {
  description: 'A point in time, ISO 8601 with offset: `2026-01-31T09:30:00+00:00`.',
  serialize: formatTime,
  parseValue: parseDateTime,
  parseLiteral: literalParser(parseDateTime),
});

builder.scalarType('EventJson', {
  description:
    'An event as JSON text: its `id`, and then the fields of its body, byte for byte as webhooks are sent them.',
  serialize: (json) => json,
});

builder.scalarType('JsonObject', {
  description: 'An object of JSON values.',
  serialize: (object) => object,
});

// JSON's grammar for numbers, with at most three digits in the exponent: a larger number would be too long to write out.
// The validator of each field checks its bounds.
const number = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;

function parseDecimal(value: unknown): Decimal {
  if (value instanceof Decimal) return value;
  // REST keeps the text of numbers. GraphQL's JSON has converted them to binary floating point already.
  if (typeof value === 'number') throw invalid('Must be a number as a string: "1190.5".');
  const text = typeof value === 'string' ? value.trim() : '';
  if (!number.test(text)) throw invalid('Must be a number.');
  const decimal = new Decimal(text);
  return decimal.isZero() ? new Decimal(0) : decimal; // no -0
}

builder.scalarType('Decimal', {
  description:
    'A decimal number as a string, `"1190.5"`: exact, without an exponent, without trailing zeros. At most 15 digits.',
  serialize: (value) => (typeof value === 'object' ? value : new Decimal(value)).toFixed(),
  parseValue: parseDecimal,
  // The text of a number within a document is exact.
  parseLiteral: (node: ValueNode) =>
    literalParser(() =>
      parseDecimal(node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING ? node.value : null),
    )(node),
});
