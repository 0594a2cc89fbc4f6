import { readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

/** Writes the schema as TypeScript types, which gql.tada uses. gql.tada's own command needs an older TypeScript. */
const sdl = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');
const introspection = minifyIntrospection(introspectionFromSchema(buildSchema(sdl)));
writeFileSync(
  new URL('introspection.d.ts', import.meta.url),
  outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true }),
);
