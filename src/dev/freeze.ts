import { spawnSync } from 'node:child_process';
import { printError } from '../commands/output.ts';

// `npm run freeze -- VERSION`: records what a version promises, in test/releases/, and its statements, in test/versions/.

const [version = ''] = process.argv.slice(2);
if (/^\d+\.\d+\.\d+$/.test(version)) {
  const env = { ...process.env, RECORD: version };
  const args = ['run', 'test/versions', 'test/releases'];
  process.exitCode = spawnSync('vitest', args, { env, stdio: 'inherit' }).status ?? 1;
} else {
  printError('npm run freeze -- VERSION, such as 1.0.0');
  process.exitCode = 2;
}
