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
 * Whether graphql-jit answers a valid document as graphql-js does; not all of these would differ. It
 * - takes a fragment that is spread twice for what the first of its conditions says;
 * - makes texts of literal dates' and decimals' values, and writes texts into its program, some of them as code;
 * - leaves null where a list or an object holds a variable that isn't given;
 * - makes no field of the alias `__proto__`, and takes `a_b { c }` for `a { b_c }`.
 * The schema is asked about too seldom to be compiled for.
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
