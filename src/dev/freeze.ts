import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { printError } from '../commands/output.ts';

// `npm run freeze -- VERSION`: records what a version promises, in test/releases/, and its statements, in test/versions/.

const releases = new URL('../../test/releases/', import.meta.url);
const [version = ''] = process.argv.slice(2);
if (/^\d+\.\d+\.\d+$/.test(version)) {
  // A version 0 promises nothing (semver.org): its recording, with what was allowed, gives place to that of 1.0.0.
  const before = version.startsWith('0.') ? [] : readdirSync(releases).filter((name) => /^0\.\d+\.\d+$/.test(name));
  for (const name of before) rmSync(new URL(name, releases), { recursive: true });
  if (before.length > 0) writeFileSync(new URL('allowed.json', releases), '[]\n');
  const env = { ...process.env, RECORD: version };
  const args = ['run', 'test/versions', 'test/releases'];
  process.exitCode = spawnSync('vitest', args, { env, stdio: 'inherit' }).status ?? 1;
} else {
  printError('npm run freeze -- VERSION, such as 1.0.0');
  process.exitCode = 2;
}
