import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';

/** The SDL as kept in schema.graphql, where changes to the domain show in a diff. */
export const printSdl = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
