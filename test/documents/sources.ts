import type { DocumentSource, SourceLine } from '../../schema/documents/document-source.ts';

const line: SourceLine = {
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

/** The source of a PDF with a line for each description. Its totals are those of one line. */
export const makeSource = (descriptions: readonly (string | null)[]): DocumentSource => ({
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
  lines: descriptions.map((description) => ({ ...line, description })),
});
