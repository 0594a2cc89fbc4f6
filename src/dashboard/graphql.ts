import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './introspection.d.ts';

/** Defines an operation or a fragment. The schema types its variables and its result. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: {
    Date: string;
    DateTime: string;
    Decimal: string;
    Metadata: Record<string, string | null>;
    ProblemParams: Record<string, unknown>;
    UUID: string;
    Upload: File;
  };
}>();

type Types = introspection['types'];

type EnumName = { [Name in keyof Types]: Types[Name] extends { enumValues: string } ? Name : never }[keyof Types];

/** The values of an enum of the schema. */
export type EnumOf<Name extends EnumName> = Types[Name]['enumValues'];

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';
