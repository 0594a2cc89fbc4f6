import { execFileSync, spawnSync, type ExecFileSyncOptions } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
/** Where the image's version stands. */
const places = {
  Dockerfile: /(?<=org\.opencontainers\.image\.version=")[\d.]+(?=")/g,
  'docker/kontor.yaml': /(?<=\/kontor:)[\d.]+$/gm,
};

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
  const run = (name: string, ...args: string[]): number => {
    print(`${isDry ? 'would run' : 'run'}: npm run ${[name, ...args].join(' ')}`);
    return isDry ? 0 : (spawnSync('npm', ['run', name, ...args], { cwd: folder, stdio: 'inherit' }).status ?? 1);
  };
  const mustSucceed = (status: number): void => {
    if (status !== 0)
      throw new Refusal('Nothing is committed. To undo what was changed: git reset --hard && git clean -fd');
  };
  if (git('status', '--porcelain') !== '') throw new Refusal('The tree has changes: commit them first.');
  if (git('tag', '--list', `v${version}`) !== '') throw new Refusal(`The tag v${version} exists.`);

  const file = join(folder, 'CHANGELOG.md');
  const day = new Date().toISOString().slice(0, 10);
  const changes = releaseChanges(readFileSync(file, 'utf8'), version, day);
  print(`package.json and package-lock.json: ${current} becomes ${version}`);
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'], options);
  for (const [name, before] of Object.entries(places)) {
    print(`${name}: the image's version becomes ${version}`);
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(before, version));
  }
  print(`CHANGELOG.md: "Unreleased" becomes "${version}, ${day}"`);
  writeFileSync(file, changes);
  mustSucceed(run('build'));
  mustSucceed(run('freeze', '--', version));
  // Answers 2 where only the registry can't tell, and says so.
  const audited = run('audit');
  if (audited !== 2) mustSucceed(audited);
  mustSucceed(run('packages', '--', '--out', `release/${version}`));
  mustSucceed(run('sbom', '--', '--out', `release/${version}`));
  const kept = `test/releases/${version}/packages`;
  print(`${kept}: the packages, and the programs of test/packages/stranger, which later versions must not break`);
  if (!isDry) {
    cpSync(join(folder, 'test/packages/stranger'), join(folder, kept), { recursive: true });
    for (const name of ['sdk', 'cli'])
      cpSync(join(folder, `release/${version}/kontor-${name}.tgz`), join(folder, kept, `${name}.tgz`));
  }
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
