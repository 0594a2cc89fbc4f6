import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { print } from '../src/commands/output.ts';
import { findLicenceFaults, findLockFaults } from '../src/packages/check-packages.ts';
import { readLock } from '../src/packages/shipped.ts';

// `npm run audit` checks packages: hashes, install scripts, licences, and known vulnerabilities. It exits with 1 if there is
// anything. It exits with 2 and a message if only the registry can't answer, so that a missing answer never looks like safety.

const root = fileURLToPath(new URL('..', import.meta.url));
const report = z.object({
  metadata: z.object({
    vulnerabilities: z.object({ total: z.number() }),
    dependencies: z.object({ total: z.number() }),
  }),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
});

const packages = [
  { name: 'Kontor', folder: root },
  { name: 'the benchmark', folder: `${root}test/bench` },
  { name: 'the client of the API description', folder: `${root}test/openapi-client` },
];

const { allowScripts } = z
  .object({ allowScripts: z.record(z.string(), z.boolean()) })
  .parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));
const others = ['front-ends', 'generators', 'packages', 'storage/s3'].map((folder) => `${root}test/${folder}`);
const faults = [
  ...findLockFaults(readLock(root), allowScripts),
  // These are installed with --ignore-scripts.
  ...[...packages.slice(1).map(({ folder }) => folder), ...others].flatMap((folder) =>
    findLockFaults(readLock(folder), undefined),
  ),
  ...findLicenceFaults(root),
];
print(`Hashes, install scripts, and licences: ${faults.length} faults`);
for (const fault of faults) print(`  ${fault}`);

let isUnknown = false;
let isBad = faults.length > 0;
for (const { name, folder } of packages) {
  const { stdout, stderr } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const answer = report.safeParse(parsed(stdout));
  if (!answer.success) {
    const [reason = 'no answer'] = (findReason(stdout) ?? stderr).split('\n');
    print(`${name}: NOT KNOWN. The registry can't tell: ${reason}`);
    isUnknown = true;
    continue;
  }
  const { metadata, vulnerabilities } = answer.data;
  print(`${name}: ${metadata.vulnerabilities.total} known in ${metadata.dependencies.total} packages`);
  for (const [at, { severity, range }] of Object.entries(vulnerabilities)) print(`  ${severity}: ${at} ${range}`);
  if (metadata.vulnerabilities.total > 0) isBad = true;
}
process.exitCode = isBad ? 1 : isUnknown ? 2 : 0;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function findReason(text: string): string | undefined {
  const answer = z.object({ message: z.string() }).safeParse(parsed(text));
  return answer.success ? answer.data.message.replace(/ - .*/, '') : undefined; // without the registry's address
}
