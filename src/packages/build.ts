import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { print } from '../commands/output.ts';
import { pageFolders } from '../server/pages.ts';
import { buildCli } from './cli.ts';
import { buildSdk } from './sdk.ts';

// Builds the packages for npm: without --out, those that the server offers below /downloads.

const { values } = parseArgs({ options: { out: { type: 'string' }, only: { type: 'string' } } });
const out = values.out === undefined ? join(pageFolders.pages, 'downloads') : resolve(values.out);
await mkdir(out, { recursive: true });
const builders = { sdk: buildSdk, cli: buildCli };
for (const [name, build] of Object.entries(builders)) {
  if (values.only !== undefined && values.only !== name) continue;
  const file = await build(out, values.out === undefined ? `${name}.tgz` : `kontor-${name}.tgz`);
  if (values.out !== undefined) print(file);
}
