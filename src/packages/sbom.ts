import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { version } from '../../schema/version.ts';
import { print } from '../commands/output.ts';
import { formatNotices, readThirdParty } from './licences.ts';
import { root } from './pack.ts';
import { listShipped } from './shipped.ts';

// `npm run sbom -- --out DIR`: what Kontor ships, as CycloneDX, and the licences of third parties.

const { values } = parseArgs({ options: { out: { type: 'string', default: 'sbom' } } });
const out = resolve(values.out);

const component = z.looseObject({ name: z.string(), version: z.string() });
const bom = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});

const shipped = listShipped();
const isShipped = new Set(shipped.map(({ name, version: its }) => `${name}@${its}`));
const text = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const all = bom.parse(JSON.parse(text));
const components = all.components.filter((each) => isShipped.has(`${each.name}@${each.version}`));
const refs = new Set(components.map((each) => z.string().parse(each['bom-ref'])));
const own = `kontor@${version}`;
// Without a serial number and a time, the same sources have the same bytes.
const { serialNumber: _serialNumber, metadata, ...rest } = all;
const { timestamp: _timestamp, component: project, ...stable } = metadata;
const dependencies = all.dependencies
  .filter(({ ref }) => ref === own || refs.has(ref))
  .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => refs.has(ref)) }));

mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, 'sbom.cdx.json'),
  `${JSON.stringify({ ...rest, metadata: { ...stable, component: { ...project, name: 'kontor' } }, components, dependencies }, null, 2)}\n`,
);
const notices = shipped.flatMap(({ folder }) => (folder === undefined ? [] : [readThirdParty(join(root, folder))]));
writeFileSync(join(out, 'THIRD-PARTY.txt'), formatNotices(notices));
print(`${join(out, 'sbom.cdx.json')}: ${components.length} packages`);
