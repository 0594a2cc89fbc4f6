import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readText } from './references.ts';

// Each search of ARCHITECTURE.md's table finds its file, and few others.

interface Search {
  topic: string;
  command: string;
  leadsTo: string;
}

const [, section = ''] = readText('ARCHITECTURE.md').split('\n## Where to find…\n');
const [table = ''] = section.split('\n## ');
const row = /^\| (?<topic>[^|]+) \| `(?<command>(?:[^`|]|\\\|)+)` \| `(?<leadsTo>[^`]+)` \|$/gm;
const searches = [...table.matchAll(row)].map(({ groups }) => ({ ...groups }) as unknown as Search);

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
/** Such a search is for neither tests nor the dashboard. */
const isSource = (path: string): boolean => !/^(?:test|src\/dashboard)\//.test(path);

/** Runs a search as a shell would. It never passes a document's text to a shell. */
function run(command: string): string[] {
  const [, name] = /^git ls-files \\\| grep -i ([\w.-]+)$/.exec(command) ?? [];
  if (name !== undefined) return git('ls-files').filter((path) => new RegExp(name, 'i').test(path));
  const [, text, folders] = /^git grep -il '([^']+)' -- ([\w/ -]+)$/.exec(command) ?? [];
  if (text === undefined || folders === undefined) throw new Error(`Not a search: ${command}`);
  return git('grep', '-il', text, '--', ...folders.split(' '));
}

describe('the search for', () => {
  it.each(searches)('$topic', ({ command, leadsTo }) => {
    const found = run(command).filter(isSource);
    expect(found).toContain(leadsTo);
    expect(found.length).toBeLessThanOrEqual(12);
  });

  it('each topic of the table is read from it', () => {
    const rows = table
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1);
    expect(searches.length).toBeGreaterThan(25);
    expect(searches).toHaveLength(rows.length);
  });
});
