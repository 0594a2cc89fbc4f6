import {
  BREAK,
  getNamedType,
  isEnumType,
  isSpecifiedScalarType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';

/**
 * Whether graphql-jit is certain to answer a valid document as graphql-js does. graphql-jit
 * - applies the conditions of a fragment's first spread to all its spreads;
 * - turns literals of custom scalars into text, and writes text into its generated code, some of it unquoted;
 * - puts null where a list or an object contains a variable that isn't given;
 * - drops a field with the alias `__proto__`, and confuses `a_b { c }` with `a { b_c }`.
 * Introspection is too rare to be worth compiling.
 */
export function isCompilable(document: DocumentNode, schema: GraphQLSchema): boolean {
  let is = true;
  const not = (): typeof BREAK => {
    is = false;
    return BREAK;
  };
  const info = new TypeInfo(schema);
  const unlessOwn = (): typeof BREAK | undefined => {
    const type = getNamedType(info.getInputType());
    return type && (isEnumType(type) || isSpecifiedScalarType(type)) ? undefined : not();
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      Directive: not,
      StringValue: not,
      FloatValue: not,
      ListValue: not,
      ObjectValue: not,
      IntValue: unlessOwn,
      EnumValue: unlessOwn,
      Field: ({ alias, name }) =>
        alias?.value.includes('_') || name.value === '__schema' || name.value === '__type' ? not() : undefined,
      Variable: ({ name }) => (name.value.includes('_') ? not() : undefined),
    }),
  );
  return is;
}
