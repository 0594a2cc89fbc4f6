import { writeFileSync } from 'node:fs';
import { printSdl } from '../../schema/graphql/print-sdl.ts';
import { toSchema } from '../../schema/index.ts';

// `npm run sdl`: writes schema/schema.graphql.

writeFileSync(new URL('../../schema/schema.graphql', import.meta.url), printSdl(toSchema()));
