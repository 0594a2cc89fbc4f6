import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import { makeCreditNote } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeIssuedInvoice, setCompany } from './parties.ts';

// GET /invoices/{id}/proof: what a third party needs to check one document, with nothing but SHA-256.

let service: Service;
let who: Integrator;
let invoices: string[];
let creditNote: string;
beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
  await setCompany(who);
  invoices = [await makeIssuedInvoice(who), await makeIssuedInvoice(who)];
  creditNote = await makeCreditNote(who, { invoiceId: invoices[1] });
});
afterAll(() => service.close());

async function prove(): Promise<void> {
  const context = await service.contextOf(who);
  while (await hasUnproven(context)) await proveNext(context);
}

const hashOf = (bytes: Uint8Array | string): string => hash('sha256', bytes);
const file = async (path: string): Promise<Buffer> =>
  Buffer.from(
    await (
      await fetch(`${service.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${who.token}` } })
    ).arrayBuffer(),
  );

it('a document that isn’t proven yet, a draft, and another tenant’s have no proof', async () => {
  expect((await who.rest('GET', `/invoices/${invoices[0]}/proof`)).status).toBe(404);
  await prove();
  const stranger = await service.integrator();
  for (const path of [`invoices/${invoices[0]}`, `credit-notes/${creditNote}`]) {
    expect((await stranger.rest('GET', `/${path}/proof`)).status).toBe(404);
    expect((await who.rest('GET', `/${path}/proof`)).status).toBe(200);
  }
  expect((await who.rest('GET', `/invoices/${creditNote}/proof`)).status).toBe(404);
});

it('the hashes of a proof can be computed from its texts, the files, and the proof before', async () => {
  await prove();
  let before = '0'.repeat(64);
  for (const [at, path] of [...invoices.map((id) => `invoices/${id}`), `credit-notes/${creditNote}`].entries()) {
    const { status, body } = await who.rest('GET', `/${path}/proof`);
    expect(status).toBe(200);
    const { number, position, previous_hash, hash: stated, content, data, proven_at, ...others } = body.data;
    expect(others).toEqual({});
    expect([position, previous_hash]).toEqual([at + 1, before]);
    expect(hashOf(Buffer.concat([Buffer.from(before, 'hex'), Buffer.from(content)]))).toBe(stated);
    const said = JSON.parse(content);
    expect(said).toMatchObject({ version: 2, number, data: hashOf(data) });
    expect(new Date(proven_at).getTime()).toBe(Math.floor(Date.parse(said.at) / 1000) * 1000);
    expect(said.files.pdf).toBe(hashOf(await file(`${path}/pdf`)));
    expect(said.files['xrechnung-ubl']).toBe(hashOf(await file(`${path}/xml?format=xrechnung-ubl`)));
    before = stated;
  }
});

it('the text of what a document says has its parties, lines, dates, currency, and VAT', async () => {
  await prove();
  const { body } = await who.rest('GET', `/invoices/${invoices[0]}/proof`);
  expect(JSON.parse(body.data.data)).toMatchObject({
    number: '2026-0001',
    currency: 'EUR',
    invoiceDate: '2026-03-01T00:00:00.000Z',
    items: [{ position: 1, title: 'Advice', quantity: '1', unitPriceNet: '100', vatRate: '19' }],
    parties: { seller: { legal_name: 'Müller & Söhne GmbH' }, buyer: { company_name: 'Stadt Ulm' } },
    vatBreakdown: [{ vat_category: 'S', vat_rate: '19', net: '100', vat: '19' }],
  });
  const ofNote = JSON.parse((await who.rest('GET', `/credit-notes/${creditNote}/proof`)).body.data.data);
  expect(ofNote).toMatchObject({
    number: 'CN-2026-0001',
    invoice: { number: '2026-0002' },
    isCancellation: false,
    parties: { buyer: { company_name: 'Stadt Ulm' } },
    vatBreakdown: [{ net: '100', vat: '19' }],
  });
});
