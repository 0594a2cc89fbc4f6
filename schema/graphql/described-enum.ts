import { builder } from './builder.ts';

/** An enum whose values and their descriptions are those of a record. */
export const describedEnum = <Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(
      Object.entries<string>(values).map(([value, meaning]) => [value, { description: meaning }]),
    ) as Record<Value, { description: string }>,
  });
