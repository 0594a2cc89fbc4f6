import { getNamedType, isInputObjectType, type GraphQLArgument, type GraphQLInputField } from 'graphql';
import { parseDeprecation, type Deprecation } from '../schema/graphql/deprecation.ts';
import type { SelectedField, Selection } from '../schema/graphql/execution/compile-selection.ts';
import type { Operation } from './operation.ts';
import { placeVariables } from './variable-places.ts';

type Input = GraphQLArgument | GraphQLInputField;

/**
 * The headers that announce deprecations used by a request: of the endpoint, of fields in the response, and of parameters
 * or fields that were sent (DECISIONS.md#d70-deprecation). `Deprecation` (RFC 9745) has the day of the announcement,
 * `Sunset` (RFC 8594) the day of the removal; of several deprecations, the earliest. Undefined for an operation without any.
 */
export function deprecationHeaders(operation: Operation): ((variables: object) => Record<string, string>) | undefined {
  if (!isAnnounced(operation)) return undefined;
  const always = [operation.field, ...answeredFields(operation.shape)].flatMap(announced);
  return (variables): Record<string, string> => {
    const found = [...always, ...sent(operation.field.args, placeVariables(operation.places, variables))];
    if (found.length === 0) return {};
    const earliest = (of: keyof Deprecation): Date => new Date(Math.min(...found.map((each) => Number(each[of]))));
    return { Deprecation: `@${Number(earliest('since')) / 1000}`, Sunset: earliest('sunset').toUTCString() };
  };
}

/** Whether any answer to an operation announces a deprecation. */
export const isAnnounced = (operation: Operation): boolean =>
  [operation.field, ...answeredFields(operation.shape)].some(({ deprecationReason }) => deprecationReason != null) ||
  operation.field.args.some((arg) => involvesDeprecated(arg));

const announced = ({ deprecationReason }: { deprecationReason?: string | null }): Deprecation[] =>
  [parseDeprecation(deprecationReason)].filter((each) => each !== undefined);

const answeredFields = ({ fields }: Selection): SelectedField['field'][] =>
  [...fields.values()].flatMap((shape) => [shape.field, ...answeredFields(shape)]);

const listFields = (input: Input): GraphQLInputField[] => {
  const type = getNamedType(input.type);
  return isInputObjectType(type) ? Object.values(type.getFields()) : [];
};

/** @param seen the inputs that were looked at */
function involvesDeprecated(input: Input, seen = new Set<Input>()): boolean {
  if (seen.has(input)) return false;
  seen.add(input);
  return announced(input).length > 0 || listFields(input).some((field) => involvesDeprecated(field, seen));
}

/** The deprecated inputs among those that have a value. */
const sent = (inputs: readonly Input[], value: unknown): Deprecation[] =>
  [value].flat().flatMap((each) =>
    inputs.flatMap((input) => {
      const inner = (each as Record<string, unknown> | null)?.[input.name];
      return inner === undefined ? [] : [...announced(input), ...sent(listFields(input), inner)];
    }),
  );
