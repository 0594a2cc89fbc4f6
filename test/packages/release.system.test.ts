import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../src/packages/pack.ts';
import { version } from '../../schema/version.ts';

const git = (folder: string, ...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
const release = (folder: string, ...args: string[]): { status: number | null; out: string; err: string } => {
  const script = join(folder, 'src/dev/release.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
};
const stateOf = (folder: string): string[] => [
  git(folder, 'status', '--porcelain'),
  git(folder, 'rev-parse', 'HEAD'),
  git(folder, 'tag'),
];

/** A clone of the last commit, which may be changed. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-release-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  git(root, 'clone', '--quiet', root, folder);
  return folder;
}

/** Has something to release, as there is not right after a release. */
function noteChange(folder: string): void {
  const file = join(folder, 'CHANGELOG.md');
  const changelog = readFileSync(file, 'utf8').replace('## Unreleased\n', '## Unreleased\n\n- Another.\n');
  writeFileSync(file, changelog);
  git(folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--all', '--quiet', '--message', 'Note');
}

it('a dry run says each step of a release, and changes nothing', () => {
  // Of the last commit: other tests write into this checkout meanwhile.
  const folder = clone();
  noteChange(folder);
  const before = stateOf(folder);
  const { status, out, err } = release(folder, '99.0.0', '--dry-run');
  expect([status, err]).toEqual([0, '']);
  const day = new Date().toISOString().slice(0, 10);
  expect(out.split('\n')).toEqual(
    expect.arrayContaining([
      `package.json and package-lock.json: ${version} becomes 99.0.0`,
      "Dockerfile: the image's version becomes 99.0.0",
      "docker/kontor.yaml: the image's version becomes 99.0.0",
      `CHANGELOG.md: "Unreleased" becomes "99.0.0, ${day}"`,
      'would run: npm run build',
      'would run: npm run freeze -- 99.0.0',
      'would run: npm run audit',
      'would run: npm run packages -- --out release/99.0.0',
      'would run: npm run sbom -- --out release/99.0.0',
      'test/releases/99.0.0/packages: the packages, and the programs of test/packages/stranger, which later versions must not break',
      'Release 99.0.0, tagged v99.0.0',
      'This was a dry run: nothing is changed.',
    ]),
  );
  expect(out).toMatch(
    /CHANGELOG\.md +\| 2 \+[^]* Dockerfile +\| 2 \+-[^]* docker\/kontor\.yaml +\| 6 \+\+\+---[^]* package-lock\.json +\| 4 \+\+--[^]* package\.json +\| 2 \+-/,
  );
  expect(stateOf(folder)).toEqual(before);
});

it('refuses what is no later version, a tag that exists, and a tree with changes', () => {
  for (const wrong of ['', '1', 'v99.0.0', '99.0.0-rc.1', '99.0.0;x', '--upload-pack=x'])
    expect([wrong, release(root, '--dry-run', '--', wrong)]).toMatchObject([wrong, { status: 2, out: '' }]);
  for (const earlier of [version, '0.0.9'])
    expect(release(root, earlier)).toEqual({ status: 2, out: '', err: `${earlier} is not later than ${version}.\n` });
  const folder = clone();
  git(folder, 'tag', 'v99.0.0');
  expect(release(folder, '99.0.0')).toEqual({ status: 2, out: '', err: 'The tag v99.0.0 exists.\n' });
  writeFileSync(join(folder, 'new.ts'), '');
  const before = stateOf(folder);
  expect(release(folder, '99.0.1')).toEqual({ status: 2, out: '', err: 'The tree has changes: commit them first.\n' });
  expect(stateOf(folder)).toEqual(before);
});
