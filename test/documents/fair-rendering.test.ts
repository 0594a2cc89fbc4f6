import { expect, it } from 'vitest';
import type { DocumentSource } from '../../schema/documents/document-source.ts';
import { pdfTurns } from '../../schema/resources/document/stored-files.ts';
import { withHolder } from '../../prisma/client.ts';
import { renderInThread } from '../../schema/documents/render-in-thread.ts';

const line: DocumentSource['lines'][number] = {
  title: 'Advice',
  description: null,
  quantity: '1',
  unit: 'h',
  unitCode: 'HUR',
  unitPriceNet: '100',
  discountPercent: '0',
  lineTotalNet: '100',
  vatCategory: 'S',
  vatRate: '19',
  exemptionReason: null,
  servicePeriodStart: null,
  servicePeriodEnd: null,
};

const source = (lines: number): DocumentSource => ({
  number: '2026-0001',
  date: '2026-03-01',
  dueDate: '2026-03-15',
  deliveryDate: null,
  exchange: null,
  subject: null,
  currency: 'EUR',
  isPaid: false,
  credited: null,
  test: false,
  seller: { legal_name: 'Acme', country: 'DE' },
  buyer: { company_name: 'Globex', country: 'DE' },
  vatBreakdown: [{ vatCategory: 'S', vatRate: '19', net: '100', vat: '19', exemptionReason: null }],
  lines: Array.from({ length: lines }, () => line),
});

it('a tenant’s PDF waits for none of another tenant’s, however many and long these are', async () => {
  const finished: string[] = [];
  const render = async (tenantId: string, lines: number): Promise<void> => {
    await pdfTurns.run(withHolder({ id: tenantId, testOf: null }).holder, () => renderInThread(source(lines)));
    finished.push(tenantId);
  };
  const attack = Array.from({ length: 2 }, () => render('attacker', 900));
  const innocent = render('innocent', 1);
  await Promise.all([...attack, innocent]);
  expect(finished.indexOf('innocent')).toBe(0);
});

it('usual PDFs wait for no very long ones, however many tenants ask for these', async () => {
  const finished: string[] = [];
  const render = async (tenantId: string, lines: number): Promise<void> => {
    await pdfTurns.run(withHolder({ id: tenantId, testOf: null }).holder, () => renderInThread(source(lines)));
    finished.push(tenantId);
  };
  const attack = ['attacker 1', 'attacker 2', 'attacker 3'].map((tenantId) => render(tenantId, 900));
  await Promise.all([...attack, render('innocent', 1)]);
  expect(finished.indexOf('innocent')).toBe(0);
});

it('a tenant’s PDFs and those of its test tenants are made one after the other', async () => {
  let running = 0;
  let most = 0;
  const render = (id: string, testOf: string | null) =>
    pdfTurns.run(withHolder({ id, testOf }).holder, async () => {
      running += 1;
      most = Math.max(most, running);
      await renderInThread(source(1));
      running -= 1;
    });
  await Promise.all([render('owner', null), render('test 1', 'owner'), render('test 2', 'owner')]);
  expect(most).toBe(1);
});
