import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { createAnchorKey, type AnchorKey } from '../../schema/resources/anchor/signature.ts';
import { readAnchorKey } from '../../src/security/anchor-key.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { proveAndSeal } from '../verify/books.ts';

// Anchors that an adviser has kept, and `kontor verify --expect-file`, in processes of their own.

let database: Database;
let service: Service;
let folder: string;
let acme: Integrator;
const secret = 'long-enough-to-be-one-for-the-tests';
const ownKey = readAnchorKey({ anchorKey: null }, secret);
/** One day's anchor by this installation, the next day's by another key. */
let first: Record<string, unknown>;
let second: Record<string, unknown>;
const otherKey = createAnchorKey(randomBytes(32));

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  folder = await mkdtemp(join(tmpdir(), 'kontor-anchors-'));
  acme = await service.integrator();
  await setCompany(acme);
  first = await anchorOf('2026-11-26', ownKey);
  second = await anchorOf('2026-11-27', otherKey);
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function anchorOf(day: string, key: AnchorKey): Promise<Record<string, unknown>> {
  await makeIssuedInvoice(acme);
  await proveAndSeal(service, acme);
  service.clock.now = new Date(`${day}T12:00:00Z`);
  await makeAnchor(await service.contextOf(acme), key);
  service.clock.now = undefined;
  return (await acme.rest('GET', '/anchors')).body.data[0];
}

const run = (args: string[], env: Record<string, string> = {}) =>
  kontor(['verify', '--tenant', acme.tenantId, ...args], {
    DATABASE_URL: database.url,
    KONTOR_SECRET: secret,
    ...env,
  });

async function verify(lines: unknown[], ...args: string[]) {
  const file = join(folder, 'kept.jsonl');
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return run(['--expect-file', file, ...args]);
}

it('takes anchors as REST and webhooks give them, with proofs between them', async () => {
  const { body: event } = await acme.db.event.findFirstOrThrow({ where: { type: 'books.anchored' } });
  const { documents } = first as { documents: { position: number; hash: string } };
  const proof = `${documents.position}:${documents.hash}`;
  const lines = [first, event, proof, { data: first }, { data: [first] }, { data: [first, second], meta: {} }];
  expect(await verify(lines, '--anchor-key', otherKey.publicKey.toString('base64'))).toMatchObject({ code: 0 });
});

it('refuses what no trusted key has signed', async () => {
  expect(await verify([first, second])).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      new RegExp(
        `kept.jsonl:2: The anchor is signed by the key ${String(second['key_id'])}. If you trust it: --anchor-key `,
      ),
    ),
  });
  const content = String(first['content']).replace('"position":1', '"position":2');
  expect(await verify([{ ...first, content }])).toMatchObject({ err: expect.stringContaining('signature') });
  const forged = { content, public_key: otherKey.publicKey, signature: otherKey.sign(content) };
  const asText = { ...forged, public_key: forged.public_key.toString('base64') };
  expect(await verify([{ ...asText, signature: forged.signature.toString('base64') }])).toMatchObject({
    code: 1,
    err: expect.stringContaining('--anchor-key'),
  });
  // Fields beside the text that was signed say nothing.
  expect(await verify([{ ...first, documents: null, audit_log: null }])).toMatchObject({ code: 0 });
});

it.each([
  ['{}', 'Must be POSITION:HASH, or an anchor as JSON'],
  ['{"content": 1}', 'Must be POSITION:HASH, or an anchor as JSON'],
  ['{"data": {"invoice": {}}, "event": "invoice.paid"}', 'Must be POSITION:HASH, or an anchor as JSON'],
  ['{', 'Must be POSITION:HASH, or an anchor as JSON'],
  ['[]', 'Must be POSITION:HASH, or an anchor as JSON'],
  ['{"content": "{}", "public_key": "", "signature": ""}', 'The content of the anchor can not be read'],
])('refuses the line %s', async (line, message) => {
  expect(await verify([first, line])).toMatchObject({
    code: 1,
    err: expect.stringContaining(`kept.jsonl:2: ${message}`),
  });
});

it("refuses another tenant's anchor, and a key that is none", async () => {
  const content = String(first['content']).replace(acme.tenantId, '01890000-0000-7000-8000-000000000000');
  const signature = ownKey.sign(content).toString('base64');
  expect(await verify([{ ...first, content, signature }])).toMatchObject({
    code: 1,
    err: expect.stringContaining('The anchor is of another tenant'),
  });
  expect(await run(['--anchor-key', 'abc'])).toMatchObject({ code: 2, err: expect.stringContaining('--anchor-key') });
});

it('trusts the key of ANCHOR_KEY instead of the derived one', async () => {
  const file = join(folder, 'own.jsonl');
  await writeFile(file, JSON.stringify(first));
  const seed = { ANCHOR_KEY: randomBytes(32).toString('base64') };
  expect(await run(['--expect-file', file], seed)).toMatchObject({
    code: 1,
    err: expect.stringContaining('signed by'),
  });
  expect(await run(['--expect-file', file])).toMatchObject({ code: 0 });
});

it('finds that both chains were cut off, and the stored anchors deleted', async () => {
  const client = await service.pool.connect();
  await client.query('set session_replication_role = replica');
  for (const table of ['anchors', 'audit_seals', 'audit_entries', 'document_proofs'])
    await client.query(`delete from ${table} where tenant_id = $1`, [acme.tenantId]);
  await client.query('reset session_replication_role');
  client.release();
  const { code, out } = await verify([first]);
  const { documents, audit_log: log } = first as Record<string, { position: number }>;
  expect(code).toBe(1);
  expect(out).toContain(`Proof ${documents!.position} is missing, of which a hash was noted\n`);
  expect(out).toContain(`Entry ${log!.position} of the audit log is missing, of which a hash was noted\n`);
});
