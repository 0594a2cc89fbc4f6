import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { version as current } from '../../schema/version.ts';
import { print, printError } from '../commands/output.ts';

// `npm run release -- VERSION [--dry-run]`: from a clean tree to a tagged commit, with the packages and the SBOM in release/.
// Nothing is published or pushed. A dry run does it in a temporary clone, and only names the steps that take minutes.

const root = fileURLToPath(new URL('../../', import.meta.url));
const semantic = /^(\d+)\.(\d+)\.(\d+)$/;

class Refusal extends Error {}

/** @throws Refusal for what is no version, or not a later one */
function checkVersion(version: string): void {
  if (!semantic.test(version))
    throw new Refusal('npm run release -- VERSION [--dry-run], with a version such as 1.0.0');
  const order = version.localeCompare(current, 'en', { numeric: true });
  if (order <= 0) throw new Refusal(`${version} is not later than ${current}.`);
}

/** The changelog with what was unreleased under the version and the day. @throws Refusal where nothing is */
function releaseChanges(changelog: string, version: string, day: string): string {
  const heading = '## Unreleased\n';
  const [before, after] = changelog.split(heading, 2);
  const changes = after?.split(/^## /m)[0]?.trim() ?? '';
  if (before === undefined || after === undefined || changes === '')
    throw new Refusal(`CHANGELOG.md has nothing below "${heading.trim()}".`);
  return `${before}${heading}\n## ${version}, ${day}\n${after}`;
}

function release(folder: string, version: string, isDry: boolean): void {
  const options: ExecFileSyncOptions = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  const run = (name: string, ...args: string[]): void => {
    print(`${isDry ? 'would run' : 'run'}: npm ${[name, ...args].join(' ')}`);
    if (!isDry) execFileSync('npm', [name, ...args], { ...options, stdio: 'inherit' });
  };
  if (git('status', '--porcelain') !== '') throw new Refusal('The tree has changes: commit them first.');
  if (git('tag', '--list', `v${version}`) !== '') throw new Refusal(`The tag v${version} exists.`);

  const file = join(folder, 'CHANGELOG.md');
  const day = new Date().toISOString().slice(0, 10);
  const changes = releaseChanges(readFileSync(file, 'utf8'), version, day);
  print(`package.json and package-lock.json: ${current} becomes ${version}`);
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'], options);
  print(`CHANGELOG.md: "Unreleased" becomes "${version}, ${day}"`);
  writeFileSync(file, changes);
  run('run', 'build');
  run('run', 'freeze', '--', version);
  run('run', 'audit');
  run('run', 'packages', '--', '--out', `release/${version}`);
  run('run', 'sbom', '--', '--out', `release/${version}`);
  git('add', '--all');
  const identity = isDry ? ['-c', 'user.name=Kontor', '-c', 'user.email=release@kontor.example'] : [];
  git(...identity, 'commit', '--quiet', '--message', `Release ${version}`);
  git(...identity, 'tag', '--annotate', `v${version}`, '--message', `Kontor ${version}`);
  print(git('show', '--stat', '--format=%s, tagged %(describe:tags)', 'HEAD'));
}

function inClone(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-release-'));
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [version = ''] = positionals;
try {
  checkVersion(version);
  if (values['dry-run']) inClone((folder) => release(folder, version, true));
  else release(root, version, false);
  const push = `git push --follow-tags, and npm publish release/${version}/kontor-{sdk,cli}.tgz`;
  print(values['dry-run'] ? 'This was a dry run: nothing is changed.' : `Then: ${push}`);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  printError(error.message);
  process.exitCode = 2;
}
