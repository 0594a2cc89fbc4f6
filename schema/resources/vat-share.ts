import { builder } from '../graphql/builder.ts';
import type { VatShare as VatShareOf, VatCategoryShare as VatCategoryShareOf } from '../money/money.ts';

export const VatShare = builder.objectRef<VatShareOf>('VatShare').implement({
  description: 'The part of an invoice or a credit note that one VAT rate applies to.',
  example: { vatRate: '19', net: '760', vat: '144.4' },
  fields: (t) => ({
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'Per cent.' }),
    net: t.expose('net', { type: 'Decimal', description: 'The net sum of the lines with this rate.' }),
    vat: t.expose('vat', { type: 'Decimal', description: 'VAT on that sum, rounded.' }),
  }),
});

export const VatCategoryShare = builder.objectRef<VatCategoryShareOf>('VatCategoryShare').implement({
  description: 'The part of an invoice or a credit note that one VAT category and rate apply to (EN 16931, BG-23).',
  example: { vatCategory: 'S', vatRate: '19', net: '760', vat: '144.4', exemptionReason: null },
  fields: (t) => ({
    vatCategory: t.exposeString('vatCategory', { description: 'S, Z, E, AE, K, G, or O.' }),
    vatRate: t.expose('vatRate', { type: 'Decimal', description: 'Per cent.' }),
    net: t.expose('net', { type: 'Decimal', description: 'The net sum of these lines.' }),
    vat: t.expose('vat', { type: 'Decimal', description: 'VAT on that sum, rounded.' }),
    exemptionReason: t.exposeString('exemptionReason', {
      nullable: true,
      description: 'Why no VAT is charged: the reasons of its lines, each once.',
    }),
  }),
});
