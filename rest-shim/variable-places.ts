import {
  getNamedType,
  isInputObjectType,
  Kind,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type ValueNode,
} from 'graphql';

/** The place of a variable in an operation's arguments. */
export interface Place {
  /** `filter.status.eq` */
  path: string;
  input: GraphQLArgument | GraphQLInputField;
}

/**
 * Finds where an operation has its variables. REST's parameters are variables; errors are reported for places, and answered for
 * parameters.
 * @throws Error unless each value is a variable, and each variable has one place
 */
export function findPlaces(
  name: string,
  root: FieldNode,
  args: readonly GraphQLArgument[],
): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const find = (node: ValueNode, input: Place['input'] | undefined, path: string): void => {
    if (!input) throw new Error(`${name}: ${path} is not in the schema`);
    if (node.kind === Kind.OBJECT) {
      const type = getNamedType(input.type);
      const fields = isInputObjectType(type) ? type.getFields() : {};
      for (const { name: field, value } of node.fields) find(value, fields[field.value], `${path}.${field.value}`);
      return;
    }
    if (node.kind !== Kind.VARIABLE || places.has(node.name.value))
      throw new Error(`${name}: ${path} must be a variable that stands nowhere else`);
    places.set(node.name.value, { path, input });
  };
  for (const { name: argument, value } of root.arguments ?? [])
    find(
      value,
      args.find((each) => each.name === argument.value),
      argument.value,
    );
  return places;
}

/**
 * The arguments of an operation, with its variables in their places. They aren't validated.
 * @param args the arguments so far
 */
export function placeVariables(
  places: ReadonlyMap<string, Place>,
  variables: object,
  args: Record<string, unknown> = {},
): Record<string, unknown> {
  for (const [name, value] of Object.entries(variables)) {
    const path = places.get(name)?.path.split('.') ?? [name];
    const last = path.pop() ?? name;
    let part = args;
    for (const each of path) part = (part[each] ??= {}) as Record<string, unknown>;
    part[last] = value;
  }
  return args;
}

/** The objects that an operation writes around its variables. They are there even if none of their variables has a value. */
export function writtenObjects(places: ReadonlyMap<string, Place>): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const { path } of places.values()) {
    let part = args;
    for (const each of path.split('.').slice(0, -1)) part = (part[each] ??= {}) as Record<string, unknown>;
  }
  return args;
}

/** A path in an operation's arguments, as one that begins with the variable's name. */
export function toVariablePath(places: ReadonlyMap<string, Place>, path: string): string {
  for (const [name, place] of places) {
    if (path === place.path) return name;
    if (path.startsWith(`${place.path}.`)) return name + path.slice(place.path.length);
  }
  return path;
}
