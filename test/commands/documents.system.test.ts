import { execFile, spawn } from 'node:child_process';
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { verifyAuditLog } from '../../schema/resources/audit-log/verify.ts';
import { proveNext } from '../../schema/resources/document/proofs.ts';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { kontor as inProcessOfItsOwn } from '../processes/npm.ts';

// The commands about the files of invoices, in processes of their own.

let database: Database;
let service: Service;
let folder: string;
let acme: Integrator;
let invoices: string[];

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  folder = await mkdtemp(join(tmpdir(), 'kontor-documents-'));
  acme = await service.integrator();
  await setCompany(acme);
  invoices = [await makeIssuedInvoice(acme), await makeIssuedInvoice(acme)];
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('kontor invoice', () => {
  const run = (...args: string[]) =>
    kontor(['invoice', ...args], { KONTOR_URL: service.url, KONTOR_TOKEN: acme.token });
  const served = async (path: string): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${acme.token}` };
    return Buffer.from(await (await fetch(`${service.url}/api/v1/invoices/${path}`, { headers })).arrayBuffer());
  };

  it('pdf --out writes the file that REST answers, and prints nothing', async () => {
    const [id = ''] = invoices;
    const out = join(folder, 'invoice.pdf');
    expect(await run('pdf', id, '--out', out)).toEqual({ code: 0, out: '', err: '' });
    expect((await readFile(out)).equals(await served(`${id}/pdf`))).toBe(true);
  });

  it('--out writes behind a link, and into a pipe as into a device, which all stay what they are', async () => {
    const [id = ''] = invoices;
    const pdf = await served(`${id}/pdf`);
    const [link, pipe] = [join(folder, 'link.pdf'), join(folder, 'pipe')];
    await writeFile(join(folder, 'former.pdf'), 'former');
    await symlink('former.pdf', link);
    expect((await run('pdf', id, '--out', link)).code).toBe(0);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await readFile(join(folder, 'former.pdf'))).equals(pdf)).toBe(true);
    await promisify(execFile)('mkfifo', [pipe]);
    const reader = spawn('timeout', ['20', 'cat', pipe]);
    const [read, ended] = await Promise.all([buffer(reader.stdout), run('pdf', id, '--out', pipe)]);
    expect([ended.code, read.equals(pdf), (await lstat(pipe)).isFIFO()]).toEqual([0, true, true]);
  });

  it('--out opens a file that was private to nobody else', async () => {
    const out = join(folder, 'private.pdf');
    await writeFile(out, 'former', { mode: 0o600 });
    expect((await run('pdf', invoices[0] ?? '', '--out', out)).code).toBe(0);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
  });

  it('xml prints the e-invoice in a format', async () => {
    const [id = ''] = invoices;
    for (const format of ['xrechnung-ubl', 'peppol'])
      expect(await run('xml', id, '--format', format)).toEqual({
        code: 0,
        out: (await served(`${id}/xml?format=${format}`)).toString(),
        err: '',
      });
  });

  it('names what is wrong, and writes no file then', async () => {
    const draft = await makeInvoice(acme);
    const [id = ''] = invoices;
    const out = join(folder, 'no.xml');
    expect(await run('xml', draft, '--format', 'peppol', '--out', out)).toEqual({
      code: 5,
      out: '',
      err: expect.stringContaining('A draft has no e-invoice'),
    });
    await expect(stat(out)).rejects.toThrow('ENOENT');
    expect(await run('xml', id)).toMatchObject({
      code: 5,
      out: '',
      err: expect.stringContaining('--format: Required.'),
    });
    expect(await run('xml', id, '--format', 'edifact')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Allowed choices are xrechnung-cii, xrechnung-ubl, peppol, factur-x'),
    });
    expect(await run('pdf', '01890000-0000-7000-8000-000000000000')).toMatchObject({ code: 4, out: '' });
    expect(await run('pdf', id, '--out', join(folder, 'missing/invoice.pdf'))).toEqual({
      code: 1,
      out: '',
      err: `kontor: ${folder}/missing/invoice.pdf can't be written: there is no folder ${folder}/missing.\n`,
    });
    expect((await run('pdf', id, '--out', folder)).err).toBe(`kontor: ${folder} can't be written: it is a folder.\n`);
  });
});

describe('kontor verify', () => {
  const env = () => ({ DATABASE_URL: database.url, KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests' });
  const verify = (...args: string[]) => kontor(['verify', '--tenant', acme.tenantId, ...args], env());

  it('says that the books agree with what proves them', async () => {
    const context = await service.contextOf(acme);
    await proveNext(context);
    await makeIssuedInvoice(acme);
    const { hash } = await verifyDocuments(context);
    while (await sealNext(context));
    await makeCustomer(acme);
    const { difference: _none, ...auditLog } = await verifyAuditLog(context);
    expect(auditLog).toMatchObject({ unsealed: 1 });
    expect(await verify()).toEqual({
      code: 0,
      out: `Documents that agree with their proofs: 2, with 10 files
Issued documents without a proof yet: 1
The last proof: 2:${hash}
Entries of the audit log that agree with their chain: ${auditLog.entries}
Entries that are not sealed yet: 1
The last seal: ${auditLog.last?.number}:${auditLog.last?.hash}
`,
      err: '',
    });
    const { code, out } = await inProcessOfItsOwn(['verify', '--tenant', acme.tenantId, '--json'], env());
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { differences: [], documents: 2, files: 10, unproven: 1, position: 2, hash, audit_log: auditLog },
    ]);
  });

  it('compares proofs that were noted, of options and of a file', async () => {
    const proofs = await acme.db.documentProof.findMany({ orderBy: { position: 'asc' } });
    const [first = '', second = ''] = proofs.map(
      ({ position, hash }) => `${position}:${Buffer.from(hash).toString('hex')}`,
    );
    const file = join(folder, 'noted');
    await writeFile(file, `${second}\n\n`);
    expect(await verify('--expect', first, '--expect', second, '--expect-file', file)).toMatchObject({ code: 0 });
    const wrong = `2:${'0'.repeat(64)}`;
    await writeFile(file, `${wrong}\n3:${'1'.repeat(64)}\n`);
    const { code, out, err } = await verify('--expect-file', file);
    expect([code, err]).toEqual([1, 'kontor: There are 2 differences\n']);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'Invoice 2026-0002: its proof is not the one of which a hash was noted at 2',
      'Proof 3 is missing, of which a hash was noted',
    ]);
    await writeFile(file, `${second}\nnone\n`);
    expect(await verify('--expect-file', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('noted:2: Must be POSITION:HASH'),
    });
    expect(await verify('--expect', '1:abc')).toMatchObject({ code: 2, err: expect.stringContaining('--expect') });
  });

  it('fails, and names all differences, of documents and of the audit log', async () => {
    const tamper = async () => {
      await service.pool.query('alter table audit_entries disable trigger refuse_update');
      await service.pool.query(
        `update audit_entries set action = case action when 'created' then 'deleted' else 'created' end
         where tenant_id = $1 and id = (select id from audit_seals where tenant_id = $1 and number = 2)`,
        [acme.tenantId],
      );
      await service.pool.query(
        `update invoice_files set bytes = set_bit(bytes, 4321, 1 - get_bit(bytes, 4321))
         where invoice_id = any ($1) and format = 'xrechnung-cii'`,
        [invoices],
      );
    };
    await tamper();
    const differences = [
      'Invoice 2026-0001: the xrechnung-cii file is not the one that was made',
      'Invoice 2026-0002: the xrechnung-cii file is not the one that was made',
      'Entry 2 of the audit log was changed',
    ];
    const { code, out, err } = await verify();
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^kontor: There are \d differences\n$/) });
    for (const difference of differences) expect(out.split('\n')).toContain(difference);
    const asJson = await verify('--json');
    expect([asJson.code, JSON.parse(asJson.out)]).toEqual([
      1,
      expect.objectContaining({
        documents: 0,
        differences: expect.arrayContaining(
          differences.map((message) => ({ type: expect.any(String), id: expect.any(String), message })),
        ),
      }),
    ]);
    await tamper();
    expect(await verify()).toMatchObject({ code: 0 });
  });
});
