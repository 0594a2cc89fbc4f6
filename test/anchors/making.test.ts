import { createPublicKey, hash, randomBytes, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { createAnchorKey } from '../../schema/resources/anchor/signature.ts';
import { makeAnchors } from '../../src/jobs/make-anchors.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { makeCustomer } from '../graphql/books.ts';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { proveAndSeal } from '../verify/books.ts';

let service: Service;
let acme: Integrator;
let globex: Integrator;
const key = createAnchorKey(randomBytes(32));

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  service.clock.now = new Date('2026-11-27T10:20:30.456Z');
  [acme, globex] = [await service.integrator(), await service.integrator()];
  for (const who of [acme, globex]) await makeCustomer(who);
});
afterAll(() => service.close());

const anchor = async (who: Integrator, by = key) => makeAnchor(await service.contextOf(who), by);
const job = () => runJob(makeAnchors(service.client, service.domain, () => key));

// A third party's program: it knows the documentation, and none of the code.
interface Anchor {
  id: string;
  at: string;
  documents: { position: number; hash: string } | null;
  audit_log: { position: number; hash: string } | null;
  content: string;
  key_id: string;
  public_key: string;
  signature: string;
}
const list = async (who: Integrator): Promise<Anchor[]> => (await who.rest('GET', '/anchors')).body.data;
function isRight(signed: Anchor, tenantId: string): boolean {
  const write = (head: Anchor['documents']): string =>
    head === null ? 'null' : `{"position":${head.position},"hash":"${head.hash}"}`;
  const text = `{"version":1,"tenant_id":"${tenantId}","at":"${signed.at}","documents":${write(signed.documents)},"audit_log":${write(signed.audit_log)}}`;
  const raw = Buffer.from(signed.public_key, 'base64');
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });
  return (
    text === signed.content &&
    signed.key_id === hash('sha256', raw, 'hex').slice(0, 16) &&
    verify(null, Buffer.from(text), publicKey, Buffer.from(signed.signature, 'base64'))
  );
}

describe('an anchor', () => {
  it('has the heads of both chains, and a signature that anybody can check', async () => {
    await setCompany(acme);
    await makeIssuedInvoice(acme);
    await makeIssuedInvoice(acme);
    await proveAndSeal(service, acme);
    expect(await anchor(acme)).toBe(true);
    const [made, ...others] = await list(acme);
    expect(others).toEqual([]);
    const proof = await acme.db.documentProof.findFirstOrThrow({ orderBy: { position: 'desc' } });
    const seal = await acme.db.auditSeal.findFirstOrThrow({ orderBy: { number: 'desc' } });
    expect(made).toMatchObject({
      at: '2026-11-27T10:20:30+00:00',
      documents: { position: 2, hash: Buffer.from(proof.hash).toString('hex') },
      audit_log: { position: seal.number, hash: Buffer.from(seal.hash).toString('hex') },
      public_key: key.publicKey.toString('base64'),
    });
    expect(isRight(made!, acme.tenantId)).toBe(true);
    expect(isRight(made!, globex.tenantId)).toBe(false);
    const forged = { ...made!, documents: { ...made!.documents!, position: 1 } };
    expect(isRight({ ...forged, content: made!.content.replace('"position":2', '"position":1') }, acme.tenantId)).toBe(
      false,
    );
    expect((await acme.rest('GET', `/anchors/${made!.id}`)).body).toEqual({ data: made });
  });

  it('of books without a proof has null for it, and books without anything have no anchor', async () => {
    expect(await anchor(acme)).toBe(false);
    await proveAndSeal(service, acme);
    expect(await anchor(acme)).toBe(true);
    const [made] = await list(acme);
    expect(made).toMatchObject({ documents: null, audit_log: { position: expect.any(Number) } });
    expect(isRight(made!, acme.tenantId)).toBe(true);
  });

  it('is sent as an event, which has what REST answers', async () => {
    await proveAndSeal(service, acme);
    await anchor(acme);
    const [made] = await list(acme);
    const events = await acme.db.event.findMany({ where: { type: 'books.anchored' } });
    expect(events).toMatchObject([{ resourceId: made!.id }]);
    expect(JSON.parse(events[0]!.body)).toEqual({
      event: 'books.anchored',
      tenant_id: acme.tenantId,
      created_at: '2026-11-27T10:20:30+00:00',
      data: { books: made },
    });
  });
});

describe('once a day', () => {
  it('at most, and only if something has changed since', async () => {
    await proveAndSeal(service, acme);
    expect([await anchor(acme), await anchor(acme)]).toEqual([true, false]);
    await makeCustomer(acme);
    await proveAndSeal(service, acme);
    service.clock.now = new Date('2026-11-27T23:59:59.999Z');
    expect(await anchor(acme)).toBe(false);
    service.clock.now = new Date('2026-11-28T00:00:00Z');
    expect(await anchor(acme)).toBe(true);
    service.clock.now = new Date('2026-11-29T00:00:00Z');
    expect(await anchor(acme)).toBe(false);
    // Neither an anchor nor its event is an entry of the log: otherwise each would lead to another.
    await proveAndSeal(service, acme);
    service.clock.now = new Date('2026-11-30T00:00:00Z');
    expect(await anchor(acme)).toBe(false);
    expect((await list(acme)).map(({ at }) => at)).toEqual(['2026-11-28T00:00:00+00:00', '2026-11-27T10:20:30+00:00']);
  });

  it('a clock that goes back makes none', async () => {
    await proveAndSeal(service, acme);
    await anchor(acme);
    await makeCustomer(acme);
    await proveAndSeal(service, acme);
    service.clock.now = new Date('2026-11-20T00:00:00Z');
    expect(await anchor(acme)).toBe(false);
  });

  it('also if many workers begin at the same moment', async () => {
    for (const who of [acme, globex]) await proveAndSeal(service, who);
    await Promise.all(Array.from({ length: 12 }, job));
    for (const who of [acme, globex]) {
      expect(await list(who)).toHaveLength(1);
      expect(await who.db.event.count({ where: { type: 'books.anchored' } })).toBe(1);
    }
    await expect(
      acme.db.insert({
        Anchor: [acme.db.row('Anchor', { ...(await acme.db.anchor.findFirstOrThrow()), id: undefined! })],
      }),
    ).rejects.toThrow('anchors_tenant_id_day_key');
  });

  it('an event that could not be written leaves no anchor, and the next run makes both', async () => {
    await proveAndSeal(service, acme);
    await service.pool.query(`alter table events add constraint refused check (type <> 'books.anchored') not valid`);
    await expect(anchor(acme)).rejects.toThrow('refused');
    await service.pool.query('alter table events drop constraint refused');
    expect(await acme.db.anchor.count()).toBe(0);
    expect(await anchor(acme)).toBe(true);
    expect(await acme.db.event.count({ where: { type: 'books.anchored' } })).toBe(1);
  });

  it('not of a tenant that is closed', async () => {
    for (const who of [acme, globex]) await proveAndSeal(service, who);
    await service.client.tenant.update({ where: { id: globex.tenantId }, data: { closedAt: new Date() } });
    await job();
    expect([await acme.db.anchor.count(), await globex.db.anchor.count()]).toEqual([1, 0]);
  });
});

it('another key signs later anchors, and earlier ones keep theirs', async () => {
  await proveAndSeal(service, acme);
  await anchor(acme);
  await makeCustomer(acme);
  await proveAndSeal(service, acme);
  service.clock.now = new Date('2026-11-28T10:00:00Z');
  const next = createAnchorKey(randomBytes(32));
  await anchor(acme, next);
  const anchors = await list(acme);
  expect(anchors.map(({ public_key }) => public_key)).toEqual(
    [next, key].map(({ publicKey }) => publicKey.toString('base64')),
  );
  expect(new Set(anchors.map(({ key_id }) => key_id)).size).toBe(2);
  for (const each of anchors) expect(isRight(each, acme.tenantId)).toBe(true);
});

it('a tenant sees its own anchors, and no other’s', async () => {
  for (const who of [acme, globex]) await proveAndSeal(service, who);
  await job();
  const [own] = await list(acme);
  const [other] = await list(globex);
  expect(own!.id).not.toBe(other!.id);
  expect(await list(acme)).toEqual([own]);
  expect(await acme.rest('GET', `/anchors/${other!.id}`)).toMatchObject({ status: 404 });
  const node = await acme.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: other!.id });
  expect(node).toEqual({ node: null });
});

it('nobody changes or deletes an anchor', async () => {
  await proveAndSeal(service, acme);
  await anchor(acme);
  const { tenantId } = acme;
  const statements = [
    'update anchors set content = content where tenant_id = $1',
    'delete from anchors where tenant_id = $1',
  ];
  for (const sql of statements) {
    await expect(service.pool.query(sql, [tenantId])).rejects.toThrow('An anchor can not change');
    await expect(asTenant(tenantId, () => service.books.pool.query(sql, [tenantId]))).rejects.toThrow(
      'permission denied for table anchors',
    );
  }
  expect(await acme.db.anchor.count()).toBe(1);
});
