import { lexicographicSortSchema, printSchema } from 'graphql';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { toSchema } from './index.ts';

/** The SDL as kept in schema.graphql, where changes to the domain show in a diff. */
export const printSdl = (schema = toSchema()): string => `${printSchema(lexicographicSortSchema(schema))}\n`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(new URL('schema.graphql', import.meta.url), printSdl());
}
