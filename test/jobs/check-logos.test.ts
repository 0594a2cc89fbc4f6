import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkLogos } from '../../schema/documents/check-logos.ts';
import { findLogo } from '../../schema/documents/logos.ts';
import { makeStorableLogo } from '../../schema/documents/pdf/logo.ts';
import { checkLogos as checkLogosOfAll } from '../../src/jobs/check-logos.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { lengthOfLines, buildPng } from '../documents/pngs.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from './run-job.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const shape = { width: 40, height: 20, colorType: 2 };
const broken = buildPng(shape, Buffer.alloc(lengthOfLines(shape) - 120));

/** Stores a logo as earlier versions and imports did. */
async function storeFor({ db }: Integrator, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const sha256 = hash('sha256', bytes, 'buffer') as Buffer<ArrayBuffer>;
  const { id } = await db.companyLogo.create({ data: { bytes, sha256, isOnDocuments: true } });
  await db.company.updateMany({ data: { logoId: id } });
  return id;
}

const pdfOf = async (who: Integrator, invoiceId: string): Promise<Buffer> => {
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${service.url}/api/v1/invoices/${invoiceId}/pdf`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

it('stored logos that can’t be decoded are deleted and named in the log; issued documents go on', async () => {
  const who = await service.integrator();
  await setCompany(who);
  const id = await storeFor(who, broken);
  const [made, unmade] = [await makeIssuedInvoice(who), await makeIssuedInvoice(who)];
  const before = await pdfOf(who, made);
  const other = await service.integrator({ name: 'Globex' });
  await setCompany(other);
  const kept = await storeFor(other, Buffer.from(await makeStorableLogo({ ...shape, pixels: new Uint8Array(3200) })));
  expect(await runJob(checkLogosOfAll(service.client, service.domain))).toEqual([
    `Logo ${id} of tenant ${who.tenantId} is deleted: it can't be decoded. Have it uploaded again.`,
  ]);
  expect((await who.graphql('{ company { logo { size } } }')).company.logo).toBeNull();
  expect(await who.db.companyLogo.count()).toBe(0);
  expect(await pdfOf(who, made)).toEqual(before);
  expect(before.includes('/Subtype /Image')).toBe(false);
  expect((await pdfOf(who, unmade)).includes('/Subtype /Image')).toBe(false);
  expect((await other.graphql('{ company { logo { size } } }')).company.logo).not.toBeNull();
  expect(await findLogo(await service.contextOf(other), kept)).not.toBeNull();
});

it('those of earlier versions that nothing has are deleted; those of issued invoices stay', async () => {
  const who = await service.integrator();
  await setCompany(who);
  const logo = async (width: number) =>
    Buffer.from(await makeStorableLogo({ width, height: 2, pixels: new Uint8Array(width * 8) }));
  const unused = await storeFor(who, await logo(1));
  const issued = await storeFor(who, await logo(2));
  await makeIssuedInvoice(who);
  const current = await storeFor(who, await logo(3));
  const check = async () => checkLogos(await service.contextOf(who), async () => {});
  expect(await check()).toEqual([]);
  const stored = await who.db.companyLogo.findMany({ orderBy: { id: 'asc' } });
  expect(stored.map(({ id }) => id)).toEqual([issued, current]);
  expect(stored.map(({ id }) => id)).not.toContain(unused);
  await setCompany(who, { logo: null });
  await check();
  expect((await who.db.companyLogo.findMany()).map(({ id }) => id)).toEqual([issued]);
});
