import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from './references.ts';

// The rows of ARCHITECTURE.md, "Layers and folders", are those that the linter holds, and every folder has one.

interface Override {
  files: string[];
  rules: { 'no-restricted-imports'?: [string, { patterns?: { regex?: string }[] }] };
}

const { overrides } = JSON.parse(readFileSync('.oxlintrc.json', 'utf8')) as { overrides: Override[] };
const architecture = readFileSync('ARCHITECTURE.md', 'utf8');

/** The rows of a layer's list, the highest first: the names of folders and files. */
const rowsOf = (layer: string): string[][] =>
  architecture
    .split(`Folders of \`${layer}/\`:\n\n`)[1]!
    .split('\n\n')[0]!
    .match(/^- .*?:/gm)!
    .map((row) => [...row.matchAll(/`([\w.-]+)\/?`/g)].map(([, name]) => name!));

/** Clients import nothing of the others, by rules of their own; `sdk/` is in a row too, because it makes the client. */
const clients = new Set(['dashboard']);

const isFile = (name: string): boolean => name.endsWith('.ts');

const extensions = /\.(ts|mjs)$/;
const sources = listFiles().filter((path) => extensions.test(path) && !path.startsWith('src/dashboard/'));

/** The folder of a file in its layer, or the file itself. */
const roomOf = (layer: string, path: string): string | undefined =>
  path.startsWith(`${layer}/`) ? path.slice(layer.length + 1).split('/')[0] : undefined;

describe.each(['src', 'schema'])('%s/', (layer) => {
  const rows = rowsOf(layer);
  const rooms = rows.flat();

  it('has each of its folders in one row', () => {
    const folders = readdirSync(layer, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const names = folders.map(({ name }) => name).filter((name) => !clients.has(name));
    expect(rooms.filter((name) => !isFile(name)).toSorted()).toEqual(names.toSorted());
    expect(rooms.filter((name) => !existsSync(`${layer}/${name}`))).toEqual([]);
  });

  it('has rows whose order the linter holds', () => {
    for (const [at, row] of rows.entries()) {
      const refused = row.map((name) => {
        const files = isFile(name) ? `${layer}/${name}` : `${layer}/${name}/**`;
        const rules = overrides.flatMap((each) => (each.files.includes(files) ? each.rules : []));
        const forms = rules.flatMap((each) => each['no-restricted-imports']?.[1].patterns ?? []);
        const isRefused = (room: string): boolean => {
          const target = `${isFile(name) ? './' : '../'}${room}${isFile(room) ? '' : '/any.ts'}`;
          return forms.some(({ regex }) => regex !== undefined && new RegExp(regex).test(target));
        };
        return [name, rooms.filter(isRefused)];
      });
      const above = rows.slice(0, at).flat();
      expect(refused).toEqual(row.map((name) => [name, above]));
    }
  });

  it('has at most eight floors: as many rooms as one can go down by imports', () => {
    const below = new Map<string, Set<string>>();
    for (const path of sources) {
      const room = roomOf(layer, path);
      if (room === undefined) continue;
      for (const [, target] of readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
        const imported = roomOf(layer, posix.join(posix.dirname(path), target!));
        if (imported === undefined || imported === room) continue;
        below.set(room, (below.get(room) ?? new Set()).add(imported));
      }
    }
    const longestFrom = (room: string, above: ReadonlySet<string> = new Set()): string[] => {
      if (above.has(room)) throw new Error(`The rooms ${[...above, room].join(', ')} import each other.`);
      const ways = [...(below.get(room) ?? [])].map((next) => longestFrom(next, new Set([...above, room])));
      return [room, ...(ways.toSorted((a, b) => b.length - a.length)[0] ?? [])];
    };
    const longest = [...below.keys()].map((room) => longestFrom(room)).toSorted((a, b) => b.length - a.length)[0]!;
    expect(longest.length, `The longest way down: ${longest.join(' → ')}`).toBeLessThanOrEqual(8);
  });
});
