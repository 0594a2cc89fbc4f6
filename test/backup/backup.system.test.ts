import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { openBooks } from '../../prisma/client.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { backUp } from '../../src/backup/backup.ts';
import { openBackup } from '../../src/backup/restore.ts';
import { openSecret } from '../../src/backup/passphrase.ts';
import { joinEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/postgres/embedded-postgres.ts';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { createFolderStorage } from '../../src/storage/folder-storage.ts';
import { attach, jpeg, makePdf, png, sending } from '../attachments/files.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator } from '../harness.ts';
import { makeWrittenExport } from '../resources.ts';
import { kontor, startKontor } from '../processes/npm.ts';

vi.setConfig({ testTimeout: 300_000 });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'kontor-backup-'));
  cleanups.push(() => rm(made, { recursive: true, force: true }));
  return made;
}

const withoutFiles = { files: { read: async () => undefined }, onMissing: () => {} };

async function embedded(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await joinEmbeddedPostgres(dataDir);
  cleanups.push(postgres.leave);
  await migrate(postgres.url, undefined, { superuserUrl: postgres.superuserUrl });
  return postgres;
}

/** A digest of each table's rows, whatever their order; and their number. */
async function digests(client: Client): Promise<Record<string, { rows: number; digest: string }>> {
  const { rows: tables } = await client.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'graphile_worker') and tablename not in ('_prisma_migrations', 'migrations')`);
  const found: Record<string, { rows: number; digest: string }> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t order by 1`);
    const hash = createHash('sha256');
    for (const { text } of rows) hash.update(text).update('\n');
    found[name] = { rows: rows.length, digest: hash.digest('hex') };
  }
  return found;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A row from before there was a CHECK constraint that it breaks: such a constraint doesn't look at old rows. */
const addOldProject = (client: Client, tenantId: string): Promise<unknown> =>
  client.query(`
    alter table projects drop constraint projects_end_after_start;
    insert into projects (tenant_id, id, name, currency, start_date, end_date, updated_at)
      values ('${tenantId}', gen_random_uuid(), 'Old', 'EUR', '2026-02-01', '2026-01-01', now());
    set constraints all immediate; -- the deferred trigger that records the change would prevent the next statement
    alter table projects add constraint projects_end_after_start check (end_date >= start_date) not valid`);

/** Every constraint, as PostgreSQL writes it. */
async function constraintsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
     where connamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ text }) => text);
}

/** Books that change without pause: customers come and change, invoices are issued and paid. */
function keepBusy(acme: Integrator): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let written = 0;
  const write = async (worker: number): Promise<void> => {
    for (let at = 0; !stopping.signal.aborted; at++) {
      const { createCustomer } = await acme.graphql(
        `mutation ($name: String!) { createCustomer(input: { type: CUSTOMER, companyName: $name }) { id } }`,
        { name: `Tab\t and "line"\n of ${worker}, ${at} \\N é 漢字 😀` },
      );
      const { createInvoice } = await acme.graphql(
        `mutation ($id: UUID!) { createInvoice(input: { customerId: $id, invoiceDate: "2026-11-22", status: ISSUED,
           items: [{ title: "Work", quantity: "2.5", unitPriceNet: "95.5", vatRate: "19" }] }) { id } }`,
        { id: createCustomer.id },
      );
      await acme.graphql(`mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }`, { id: createInvoice.id });
      written += 3;
    }
  };
  const workers = [0, 1, 2, 3].map(write);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(workers);
      return written;
    },
  };
}

describe('a backup', () => {
  it('taken under load is a consistent snapshot, and restores all its rows', async () => {
    const dataDir = await folder();
    const postgres = await embedded(dataDir);
    const service = await startService({
      database: { url: postgres.url, drop: async () => {} },
      books: openBooks({ connectionString: postgres.booksUrl, max: 10 }),
    });
    cleanups.push(service.close);
    const acme = await service.integrator();
    await acme.graphql(
      `mutation { createWebhook(input: { url: "http://127.0.0.1:9/hook", events: ["*"] }) { secret } }`,
    );
    await withClient(postgres.superuserUrl, (client) => addOldProject(client, acme.tenantId));
    const constraints = await withClient(postgres.superuserUrl, constraintsOf);
    const busy = keepBusy(acme);
    await until(async () => (await acme.db.customer.count()) > 20);

    const file = join(await folder(), 'books.backup');
    let atSnapshot: Awaited<ReturnType<typeof digests>> = {};
    const manifest = await backUp({
      ...withoutFiles,
      superuserUrl: postgres.superuserUrl,
      secret: 'the secret of the tests, long enough',
      passphrase: 'correct horse battery',
      file,
      onSnapshot: (snapshot) =>
        withClient(postgres.superuserUrl, async (client) => {
          await client.query(`begin isolation level repeatable read; set transaction snapshot '${snapshot}'`);
          const before = await acme.db.customer.count();
          await until(async () => (await acme.db.customer.count()) > before); // the load goes on beside it
          atSnapshot = await digests(client);
        }),
    });
    expect(await busy.stop()).toBeGreaterThan(0);
    const { cursor } = (await acme.rest('GET', '/changes')).body.meta;
    const after = await withClient(postgres.superuserUrl, digests);
    expect(after['public.customers']!.rows).toBeGreaterThan(atSnapshot['public.customers']!.rows);

    const restored = await embedded(await folder());
    const backup = await openBackup(file);
    cleanups.push(backup.close);
    await (await backup.authenticate('correct horse battery'))?.load(restored.superuserUrl);
    expect(await withClient(restored.superuserUrl, digests)).toEqual(atSnapshot);
    expect(atSnapshot['public.projects']!.rows).toBe(1);
    expect(await withClient(restored.superuserUrl, constraintsOf)).toEqual(constraints);
    for (const table of ['customers', 'invoices', 'events', 'invoice_items', 'webhooks', 'users', 'api_tokens'])
      expect(atSnapshot[`public.${table}`]!.rows).toBeGreaterThan(0);
    expect(atSnapshot['graphile_worker._private_jobs']!.rows).toBeGreaterThan(0);
    expect(backup.manifest).toEqual(manifest);

    // Sequences go on, and triggers work again. Cursors from before are refused: their changes may not be in the backup.
    const again = await startService({
      database: { url: restored.url, drop: async () => {} },
      books: openBooks({ connectionString: restored.booksUrl, max: 4 }),
    });
    cleanups.push(again.close);
    const answer = await again.request('POST', '/api/v1/customers', {
      body: { type: 'customer', company_name: 'New' },
      headers: { authorization: `Bearer ${acme.token}` },
    });
    expect(answer.status).toBe(201);
    const headers = { authorization: `Bearer ${acme.token}` };
    expect((await again.request('GET', `/api/v1/changes?since=${cursor}`, { headers })).status).toBe(410);
    const later = await withClient(restored.superuserUrl, digests);
    for (const table of ['public.customers', 'public.events', 'graphile_worker._private_jobs'])
      expect(later[table]!.rows).toBe(atSnapshot[table]!.rows + 1);
  });

  it('has the files of receipts, and restores them; what is lost already, or was changed, it says', async () => {
    const postgres = await embedded(await folder());
    const service = await startService({
      database: { url: postgres.url, drop: async () => {} },
      books: openBooks({ connectionString: postgres.booksUrl, max: 4 }),
    });
    cleanups.push(service.close);
    const acme = await service.integrator();
    const receiptId = await makeReceipt(acme);
    const send = sending(service, acme);
    const [pdf, long] = [makePdf(), makePdf(100_000)];
    const attached: { id: string }[] = [];
    for (const bytes of [pdf, png, long]) attached.push((await attach(send, receiptId, bytes)).body.data);
    const [kept, changed, lost] = attached.map(({ id }) => attachmentKey(acme.tenantId, id)) as [
      string,
      string,
      string,
    ];
    await service.fileStorage.delete(lost);
    await makeWrittenExport(service, acme);

    const file = join(await folder(), 'books.backup');
    const missing: string[] = [];
    const { superuserUrl } = postgres;
    const options = { superuserUrl, secret: 'the secret of the tests, long enough', passphrase: 'p', file };
    await backUp({ ...options, files: service.fileStorage, onMissing: (key) => missing.push(key) });
    expect(missing).toEqual([lost]);

    const restored = await embedded(await folder());
    const backup = await openBackup(file);
    cleanups.push(backup.close);
    const authentic = await backup.authenticate('p');
    await authentic?.load(restored.superuserUrl);
    const fileStorage = createFolderStorage(await folder());
    expect(await authentic?.storeFiles(restored.superuserUrl, fileStorage)).toEqual([lost]);
    const [written] = await withClient(
      restored.superuserUrl,
      async (client) =>
        (
          await client.query<{ status: string; has_expired: boolean }>(
            'select status, expires_at <= now() as has_expired from exports',
          )
        ).rows,
    );
    expect(written).toEqual({ status: 'completed', has_expired: true });
    const again = await startService({
      database: { url: restored.url, drop: async () => {} },
      books: openBooks({ connectionString: restored.booksUrl, max: 4 }),
      fileStorage,
    });
    cleanups.push(again.close);
    const read = async (at: number) => {
      const { status, bytes } = await sending(again, acme)(
        'GET',
        `/receipts/${receiptId}/attachments/${attached[at]!.id}/file`,
      );
      return { status, bytes };
    };
    expect(await read(0)).toEqual({ status: 200, bytes: pdf });
    expect(await read(1)).toEqual({ status: 200, bytes: png });
    expect((await read(2)).status).toBe(500);

    for (const bytes of [jpeg, Buffer.concat([png, png])]) {
      const forged = join(await folder(), 'forged.backup');
      await rewrite(file, forged, (entries) => {
        expect(entries.has(`files/${kept}`)).toBe(true);
        entries.set(`files/${changed}`, bytes);
      });
      const other = await openBackup(forged);
      cleanups.push(other.close);
      const storing = (await other.authenticate('p'))?.storeFiles(
        restored.superuserUrl,
        createFolderStorage(await folder()),
      );
      await expect(storing).rejects.toThrow(`The backup is damaged, at files/${changed}`);
    }
  });

  it('is readable by its owner only, has the secret encrypted by the passphrase, and overwrites nothing', async () => {
    const { superuserUrl } = await embedded(await folder());
    const target = await folder();
    const file = join(target, 'books.backup');
    const options = {
      superuserUrl,
      secret: 'a secret to look for in the file',
      passphrase: 'correct horse battery',
      file,
    };
    const { secret } = await backUp({ ...withoutFiles, ...options });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(target)).toEqual(['books.backup']);
    expect((await readFile(file)).includes(options.secret)).toBe(false);
    expect((await openSecret(secret, 'correct horse battery'))?.secret).toBe(options.secret);
    expect(await openSecret(secret, 'correct horse Battery')).toBe(undefined);
    const before = await readFile(file);
    await expect(backUp({ ...withoutFiles, ...options })).rejects.toThrow('EEXIST');
    expect(before.equals(await readFile(file))).toBe(true);
  });

  it('leaves no file if it fails', async () => {
    const target = await folder();
    const file = join(target, 'books.backup');
    const superuserUrl = 'postgres://postgres:wrong@127.0.0.1:9/kontor';
    const astray = { ...withoutFiles, superuserUrl, secret: 's', passphrase: 'p', file: join(target, 'none', 'b') };
    await expect(backUp(astray)).rejects.toThrow(
      `${astray.file} can't be written: there is no folder ${join(target, 'none')}`,
    );
    await expect(backUp({ ...withoutFiles, superuserUrl, secret: 's', passphrase: 'p', file })).rejects.toThrow(
      'ECONNREFUSED',
    );
    expect(await readdir(target)).toEqual([]);
  });
});

type Change = (entries: Map<string, Buffer>) => unknown;

/** Writes a copy of a backup with other entries, whose checksums are right. */
async function rewrite(file: string, to: string, change: Change): Promise<void> {
  const archive = await openPromise(file, { autoClose: false });
  const entries = new Map<string, Buffer>();
  for await (const entry of archive.eachEntry())
    entries.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)));
  archive.close();
  change(entries);
  const copy = new ZipFile();
  for (const [name, bytes] of entries) copy.addBuffer(bytes, name);
  copy.end();
  await pipeline(copy.outputStream, createWriteStream(to));
}

describe('a damaged backup', () => {
  it('is rejected, and leaves the database unchanged', async () => {
    const postgres = await embedded(await folder());
    await withClient(postgres.superuserUrl, (client) =>
      client.query(`insert into tenants (id, name, country)
        select gen_random_uuid(), repeat(md5(i::text), 50), 'DE' from generate_series(1, 200) i`),
    );
    const file = join(await folder(), 'books.backup');
    await backUp({ ...withoutFiles, superuserUrl: postgres.superuserUrl, secret: 's', passphrase: 'p', file });
    const whole = await readFile(file);

    await writeFile(file, whole.subarray(0, whole.length - 100));
    await expect(openBackup(file)).rejects.toThrow('is no backup, or not a whole one');

    const before = await withClient(postgres.superuserUrl, digests);
    const at = whole.indexOf('tables/public.tenants') + 2000;
    const changed = Buffer.from(whole);
    changed[at] = changed[at]! ^ 0xff;
    await writeFile(file, changed);
    const backup = await openBackup(file);
    cleanups.push(backup.close);
    await expect((await backup.authenticate('p'))?.load(postgres.superuserUrl)).rejects.toThrow(
      'The backup is damaged',
    );
    expect(await withClient(postgres.superuserUrl, digests)).toEqual(before);
  });

  it('is rejected if somebody changed rows, their hash, or both, with the right checksums', async () => {
    const postgres = await embedded(await folder());
    await withClient(postgres.superuserUrl, (client) =>
      client.query(`insert into tenants (id, name, country) values (gen_random_uuid(), 'An address', 'DE')`),
    );
    const file = join(await folder(), 'books.backup');
    await backUp({ ...withoutFiles, superuserUrl: postgres.superuserUrl, secret: 's', passphrase: 'p', file });
    const before = await withClient(postgres.superuserUrl, digests);
    const table = 'tables/public.tenants';
    const changeRow: Change = (entries) => {
      const rows = entries.get(table)!.toString().replace('An address', 'My address');
      entries.set(table, Buffer.from(rows));
    };
    const changeHash: Change = (entries) => {
      const manifest = JSON.parse(entries.get('manifest.json')!.toString());
      const tenants = manifest.tables.find(({ name }: { name: string }) => name === 'public.tenants');
      tenants.sha256 = createHash('sha256').update(entries.get(table)!).digest('hex');
      entries.set('manifest.json', Buffer.from(JSON.stringify(manifest, null, 2)));
    };
    const open = async (...changes: Change[]) => {
      const forged = join(await folder(), 'forged.backup');
      await rewrite(file, forged, (entries) => changes.forEach((change) => change(entries)));
      const backup = await openBackup(forged);
      cleanups.push(backup.close);
      return backup;
    };
    const changed = await (await open(changeRow)).authenticate('p');
    await expect(changed?.load(postgres.superuserUrl)).rejects.toThrow(`The backup is damaged, at ${table}`);
    const longer: Change = (entries) => entries.set(table, Buffer.concat([entries.get(table)!, Buffer.alloc(99)]));
    await expect((await (await open(longer)).authenticate('p'))?.load(postgres.superuserUrl)).rejects.toThrow(
      `The backup is damaged, at ${table}`,
    );
    expect(await (await open(changeRow, changeHash)).authenticate('p')).toBeUndefined();
    const otherMac: Change = (entries) => entries.set('manifest.mac', Buffer.from('00'.repeat(32)));
    expect(await (await open(otherMac)).authenticate('p')).toBeUndefined();
    await expect(open((entries) => entries.delete('manifest.mac'))).rejects.toThrow('it has no manifest.mac');
    const older: Change = (entries) => {
      const manifest = JSON.parse(entries.get('manifest.json')!.toString());
      entries.set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, format: 1 })));
    };
    await expect(open(older)).rejects.toThrow('was made by an earlier version');
    expect(await withClient(postgres.superuserUrl, digests)).toEqual(before);
    await (await (await open()).authenticate('p'))?.load(postgres.superuserUrl);
    expect((await withClient(postgres.superuserUrl, digests))['public.tenants']).toEqual(before['public.tenants']);
  });

  it('is rejected before a manifest that unpacks to far more than one is unpacked', async () => {
    const file = join(await folder(), 'bomb.backup');
    const archive = new ZipFile();
    archive.addReadStreamLazy('manifest.json', (begin) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      begin(null, Readable.from(Array.from({ length: 300 }, () => chunk)));
    });
    archive.end();
    await pipeline(archive.outputStream, createWriteStream(file));
    expect((await stat(file)).size).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().rss;
    await expect(openBackup(file)).rejects.toThrow('is no backup: its manifest.json has 314572800 bytes');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('the command line', () => {
  it('backs up, restores into an empty folder, and reports errors in one line', async () => {
    const [dataDir, target, elsewhere] = [await folder(), join(await folder(), 'new'), await folder()];
    const file = join(elsewhere, 'books.backup');
    const env = {
      DATABASE_URL: '',
      KONTOR_SECRET: '',
      DATA_DIR: dataDir,
      KONTOR_BACKUP_PASSPHRASE: 'correct horse battery',
    };
    expect(await kontor(['tenant', 'create', '--name', 'Acme'], env)).toMatchObject({ code: 0 });
    const made = await kontor(['backup', file, '--json'], env);
    expect(made).toMatchObject({ code: 0 });
    const { created_at: createdAt } = JSON.parse(made.out);

    const wrong = await kontor(['restore', file], {
      ...env,
      DATA_DIR: target,
      KONTOR_BACKUP_PASSPHRASE: 'another one',
    });
    expect(wrong).toMatchObject({
      code: 1,
      err: 'kontor: The passphrase is wrong, or the backup is damaged or was changed\n',
    });
    const occupied = await kontor(['restore', file], env);
    expect(occupied.err).toBe(`kontor: ${dataDir} is not empty: set DATA_DIR to another folder\n`);

    const restored = await kontor(['restore', file], { ...env, DATA_DIR: target });
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(createdAt) });
    const list = await kontor(['tenant', 'list', '--json'], { ...env, DATA_DIR: target });
    expect(JSON.parse(list.out)).toMatchObject([{ name: 'Acme' }]);
    expect(await readFile(join(target, 'secret'), 'utf8')).toBe(await readFile(join(dataDir, 'secret'), 'utf8'));
    expect((await stat(join(target, 'secret'))).mode & 0o777).toBe(0o600);

    const interrupted = join(elsewhere, 'interrupted');
    for (const step of [/^Making a database/m, /^applying /m]) {
      const restoring = startKontor(['restore', file], { ...env, DATA_DIR: interrupted });
      await vi.waitFor(() => expect(restoring.err()).toMatch(step), { timeout: 60_000 });
      restoring.killGroup('SIGINT');
      expect(await restoring.exited).toEqual({ code: 1, signal: null });
      expect(restoring.err()).toMatch(/\nkontor: Interrupted: nothing is restored\n$/);
      expect(await readdir(interrupted)).toEqual([]);
    }
    expect(await kontor(['restore', file], { ...env, DATA_DIR: interrupted })).toMatchObject({ code: 0 });

    // While the secret is replaced, a backup would need two.
    const next = 'the next secret of the tests, long enough';
    const rotating = { ...env, KONTOR_SECRET: next, KONTOR_SECRET_PREVIOUS_FILE: join(dataDir, 'secret') };
    expect(await kontor(['secret', 'rotate'], rotating)).toMatchObject({
      code: 0,
      out: expect.stringContaining('under way'),
    });
    expect(await kontor(['backup', join(elsewhere, 'other.backup')], rotating)).toMatchObject({
      code: 1,
      err: 'kontor: A rotation of KONTOR_SECRET is under way: wait until `kontor secret status` says that it is done\n',
    });

    const own = { ...env, DATABASE_URL: 'postgres://a@b/c', KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests' };
    for (const command of ['backup', 'restore'])
      expect((await kontor([command, file], own)).err).toBe(
        'kontor: This command is for the embedded database. For your own PostgreSQL see OPERATING.md, Backup\n',
      );
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) if (Date.now() > deadline) throw new Error(`Not in time: ${condition.toString()}`);
}
