import { existsSync, readFileSync, statSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpMembers, enter, folder, query } from './members.ts';

// The server's log is a file beside its cluster.

cleanUpMembers();

it('has errors, but neither their details nor their statements, which have values of rows', async () => {
  const dir = folder();
  const member = await enter(dir);
  await query(member.url, 'create table people (name text unique)');
  await query(member.url, `insert into people values ('Erika')`);
  await expect(query(member.url, `insert into people values ('Erika')`)).rejects.toThrow('people_name_key');
  const log = readFileSync(join(dir, 'postgres/log'), 'utf8');
  expect(log).toContain('duplicate key value violates unique constraint "people_name_key"');
  expect(log).not.toContain('Erika');
});

it('is set aside when the server starts, once it is long', async () => {
  const dir = folder();
  const log = join(dir, 'postgres/log');
  await (await enter(dir)).leave();
  await (await enter(dir)).leave();
  expect(existsSync(`${log}.old`)).toBe(false);
  for (const megabytes of [12, 11]) {
    await truncate(log, megabytes * 1_000_000);
    await (await enter(dir)).leave();
    expect(statSync(`${log}.old`).size).toBe(megabytes * 1_000_000);
    expect(readFileSync(log, 'utf8')).toMatch(/^\P{Cc}.*starting PostgreSQL/u);
  }
});
