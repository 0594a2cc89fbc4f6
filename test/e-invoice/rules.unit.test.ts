import { describe, expect, it } from 'vitest';
import { findBreaches, toProblems, rulesByFormat } from '../../schema/documents/e-invoice/breaches.ts';
import { eInvoiceFormats, isEInvoiceFormat, type EInvoiceFormat } from '../../schema/documents/e-invoice/formats.ts';
import type {
  Buyer,
  CreditTransfer,
  EInvoice,
  NumberedEInvoice,
  Seller,
} from '../../schema/documents/e-invoice/model.ts';
import { heldRules } from '../../schema/documents/e-invoice/rules/holders.ts';
import { Decimal } from '../../schema/money/decimal.ts';
import { intraCommunity, oneLine, typical, withLines, type LineInput } from './invoices.ts';

const formats = Object.keys(eInvoiceFormats).filter(isEInvoiceFormat);
const breaches = (invoice: EInvoice, format: EInvoiceFormat): string[] =>
  findBreaches(invoice, format).map(({ id, field }) => `${id} ${field}`);

type Change = (invoice: NumberedEInvoice) => NumberedEInvoice;
const both =
  (...changes: Change[]): Change =>
  (invoice) =>
    changes.reduce((changed, change) => change(changed), invoice);
const the =
  (changed: Partial<EInvoice>): Change =>
  (invoice) => ({ ...invoice, ...changed, number: invoice.number });
const seller =
  (changed: Partial<Seller>): Change =>
  (invoice) => ({ ...invoice, seller: { ...invoice.seller, ...changed } });
const buyer =
  (changed: Partial<Buyer>): Change =>
  (invoice) => ({ ...invoice, buyer: { ...invoice.buyer, ...changed } });
const sellersAddress =
  (changed: Partial<Seller['address']>): Change =>
  (invoice) =>
    seller({ address: { ...invoice.seller.address, ...changed } })(invoice);
const buyersAddress =
  (changed: Partial<Buyer['address']>): Change =>
  (invoice) =>
    buyer({ address: { ...invoice.buyer.address, ...changed } })(invoice);
const sellersContact =
  (changed: Partial<Seller['contact']>): Change =>
  (invoice) =>
    seller({ contact: { ...invoice.seller.contact, ...changed } })(invoice);
const buyersEmail =
  (email: string | undefined): Change =>
  (invoice) =>
    buyer({ contact: { ...invoice.buyer.contact, email } })(invoice);
const payment =
  (changed: Partial<CreditTransfer>): Change =>
  (invoice) => ({ ...invoice, payment: invoice.payment && { ...invoice.payment, ...changed } });
const lines =
  (...inputs: Partial<LineInput>[]): Change =>
  (invoice) =>
    withLines(
      invoice,
      inputs.map((input) => ({ ...oneLine, ...input })),
    );
const inCurrency =
  (currency: string, line: Partial<LineInput> = {}): Change =>
  (invoice) =>
    withLines(invoice, [{ ...oneLine, ...line }], { currency });
const supply: Change = () => intraCommunity;
const delivery =
  (changed: Partial<EInvoice['delivery']>): Change =>
  (invoice) => ({ ...invoice, delivery: { ...invoice.delivery, ...changed } });
const totals =
  (changed: Partial<EInvoice['totals']>): Change =>
  (invoice) => ({ ...invoice, totals: { ...invoice.totals, ...changed } });
const breakdown =
  (changed: Partial<EInvoice['vatBreakdown'][number]>): Change =>
  (invoice) => ({ ...invoice, vatBreakdown: invoice.vatBreakdown.map((part) => ({ ...part, ...changed })) });
const vatPlus =
  (difference: string): Change =>
  (invoice) => ({
    ...invoice,
    vatBreakdown: invoice.vatBreakdown.map((part, index) =>
      index === 0 ? { ...part, vat: part.vat.plus(difference) } : part,
    ),
  });
const withoutReason = breakdown({ exemptionReason: undefined });
const free = (category: LineInput['category']): Change => lines({ category, rate: '0' });
const address = (value: string, scheme: string): Change => buyer({ electronicAddress: { value, scheme } });
const of = (country: string, vatId: string | undefined): Change =>
  both(sellersAddress({ country }), seller({ vatId, registerEntry: undefined, taxNumber: undefined }));
const one = new Decimal(1);
const noTaxNumbers = seller({ vatId: undefined, taxNumber: undefined });

type Case = [title: string, format: EInvoiceFormat, change: Change, breaches: string[]];

const parties: Case[] = [
  ['BR-06: no legal name', 'factur-x', seller({ name: ' ' }), ['BR-06 company.legal_name']],
  [
    'BR-06: a name of nothing but control characters',
    'factur-x',
    seller({ name: '\u0001\u0002' }),
    ['BR-06 company.legal_name'],
  ],
  ['BR-09: a seller without a country', 'factur-x', sellersAddress({ country: undefined }), ['BR-09 company.country']],
  ['BR-07: no name of the buyer', 'factur-x', buyer({ name: '' }), ['BR-07 customer.company_name']],
  ['BR-11: a buyer without a country', 'factur-x', buyersAddress({ country: undefined }), ['BR-11 customer.country']],
  [
    "BR-CO-09: a seller's VAT number without its country's prefix",
    'factur-x',
    seller({ vatId: '123456788' }),
    ['BR-CO-09 company.vat_id'],
  ],
  [
    "BR-CO-09: a buyer's VAT number without its country's prefix",
    'factur-x',
    buyer({ vatId: 'de987654321' }),
    ['BR-CO-09 customer.vat_id'],
  ],
  [
    'BR-CO-26: nothing identifies the seller',
    'factur-x',
    both(free('O'), seller({ taxNumber: undefined, registerEntry: undefined })),
    ['BR-CO-26 company.vat_id'],
  ],
  [
    'BR-CL-25: an unknown scheme of an electronic address',
    'factur-x',
    both(address('x', '9999'), seller({ electronicAddress: { value: 'x', scheme: '' } })),
    ['BR-CL-25 company.electronic_address_scheme', 'BR-CL-25 customer.electronic_address_scheme'],
  ],
];

const documents: Case[] = [
  ['BR-CL-04: a currency that the code list lacks', 'xrechnung-ubl', inCurrency('STN'), ['BR-CL-04 currency']],
  ['BR-CL-04: a currency that it has lost since', 'factur-x', inCurrency('ANG'), []],
  [
    'BR-CL-04: a currency that it has lost',
    'factur-x',
    both(the({ issueDate: '2026-04-10' }), inCurrency('ANG')),
    ['BR-CL-04 currency'],
  ],
  [
    'CII-D16B: a currency that the XML schema of CII lacks',
    'xrechnung-cii',
    both(the({ issueDate: '2026-09-01' }), inCurrency('XCG')),
    ['CII-D16B currency'],
  ],
  ['CII-D16B: the same in UBL', 'xrechnung-ubl', both(the({ issueDate: '2026-09-01' }), inCurrency('XCG')), []],
  [
    'BR-CL-25: schemes that Factur-X lacks',
    'factur-x',
    both(address('1', '0219'), seller({ electronicAddress: { value: '1', scheme: '0220' } })),
    ['BR-CL-25 company.electronic_address_scheme', 'BR-CL-25 customer.electronic_address_scheme'],
  ],
  ['BR-CL-25: the same in XRechnung', 'xrechnung-cii', address('1', '0219'), []],
  ['BR-CL-14: South Sudan in CII', 'factur-x', buyersAddress({ country: 'SS' }), ['BR-CL-14 customer.country']],
  ['BR-CL-14: a seller there', 'xrechnung-cii', sellersAddress({ country: 'SS' }), ['BR-CL-14 company.country']],
  ['BR-CL-14: South Sudan in UBL', 'xrechnung-ubl', buyersAddress({ country: 'SS' }), []],
  [
    'BR-CL-14: what is no country',
    'xrechnung-ubl',
    both(buyersAddress({ country: 'ZZ' }), sellersAddress({ country: 'ZZ' })),
    ['BR-CL-14 company.country', 'BR-CL-14 customer.country'],
  ],
  [
    'BR-CL-11: a scheme that the code list lacks',
    'factur-x',
    seller({ registrationNumber: { value: '1', scheme: '9930' } }),
    ['BR-CL-11 company.registration_number_scheme'],
  ],
  ['BR-DEC: a currency of three decimals', 'factur-x', inCurrency('KWD'), ['BR-DEC-14 currency']],
  [
    'BR-CO-25: neither due date nor payment terms',
    'factur-x',
    the({ dueDate: undefined, paymentTerms: undefined }),
    ['BR-CO-25 due_date'],
  ],
  [
    'BR-CO-25: a credit note with neither',
    'factur-x',
    the({ typeCode: '381', dueDate: undefined, paymentTerms: undefined }),
    ['BR-CO-25 due_date'],
  ],
  ['BR-61: a blank account', 'factur-x', payment({ iban: ' ' }), ['BR-61 company.iban']],
  [
    'BR-55: a blank number of the preceding invoice',
    'factur-x',
    the({ typeCode: '381', precedingInvoice: { number: ' ', issueDate: '2026-01-01' } }),
    ['BR-55 invoice_id'],
  ],
  [
    'BR-29, BR-30: a service period that ends before it begins',
    'factur-x',
    lines({ period: { start: '2026-02-01', end: '2026-01-31' } }),
    ['BR-29 items.0.service_period_end', 'BR-30 items.0.service_period_end'],
  ],
  ['BR-16, BR-CO-18: no lines', 'factur-x', lines(), ['BR-16 items', 'BR-CO-18 vat_breakdown']],
  ['BR-25: a line without a title', 'factur-x', lines({}, { name: '\u0007' }), ['BR-25 items.1.title']],
  ['BR-27: a negative unit price', 'factur-x', lines({}, { unitPrice: '-5' }), ['BR-27 items.1.unit_price_net']],
  [
    'BR-CL-23: a unit that is no code of UN/ECE Recommendation 20',
    'factur-x',
    lines({ unitCode: 'h' }, { unitCode: '' }),
    ['BR-CL-23 items.0.unit_code', 'BR-CL-23 items.1.unit_code'],
  ],
];

const vat: Case[] = [
  ['BR-S-02: neither VAT number nor tax number', 'factur-x', noTaxNumbers, ['BR-S-02 company.vat_id']],
  ['BR-Z-02: the same at the zero rate', 'factur-x', both(free('Z'), noTaxNumbers), ['BR-Z-02 company.vat_id']],
  ['BR-E-02: the same with an exemption', 'factur-x', both(free('E'), noTaxNumbers), ['BR-E-02 company.vat_id']],
  [
    'BR-AE-02: reverse charge without both VAT numbers',
    'factur-x',
    both(free('AE'), noTaxNumbers, buyer({ vatId: undefined })),
    ['BR-AE-02 company.vat_id', 'BR-AE-02 customer.vat_id'],
  ],
  [
    'BR-IC-02: an intra-community supply without both VAT numbers; a tax number is not enough',
    'factur-x',
    both(supply, seller({ vatId: undefined }), buyer({ vatId: undefined })),
    ['BR-IC-02 company.vat_id', 'BR-IC-02 customer.vat_id'],
  ],
  [
    'BR-G-02: an export without a VAT number',
    'factur-x',
    both(free('G'), seller({ vatId: undefined })),
    ['BR-G-02 company.vat_id'],
  ],
  ['BR-S-05: the standard rate with 0 per cent', 'factur-x', free('S'), ['BR-S-05 items.0.vat_rate']],
  ['BR-Z-05: the zero rate with VAT', 'factur-x', lines({ category: 'Z' }), ['BR-Z-05 items.0.vat_rate']],
  ['BR-E-05: an exemption with VAT', 'factur-x', lines({ category: 'E' }), ['BR-E-05 items.0.vat_rate']],
  ['BR-AE-05: reverse charge with VAT', 'factur-x', lines({ category: 'AE' }), ['BR-AE-05 items.0.vat_rate']],
  [
    'BR-IC-05: an intra-community supply with VAT',
    'factur-x',
    both(supply, lines({ category: 'K', period: { start: '2026-01-01', end: '2026-01-31' } })),
    ['BR-IC-05 items.0.vat_rate'],
  ],
  ['BR-G-05: an export with VAT', 'factur-x', lines({ category: 'G' }), ['BR-G-05 items.0.vat_rate']],
  ['BR-O-09: a supply outside of VAT with VAT', 'factur-x', lines({ category: 'O' }), ['BR-O-09 items.0.vat_rate']],
  ['BR-CO-17: a rate below 0.5', 'factur-x', lines({ rate: '0.4' }), ['BR-CO-17 items.0.vat_rate']],
  [
    'BR-S-10: a reason at the standard rate',
    'factur-x',
    breakdown({ exemptionReason: 'why' }),
    ['BR-S-10 items.0.exemption_reason'],
  ],
  [
    'BR-Z-10: a reason at the zero rate',
    'factur-x',
    both(free('Z'), breakdown({ exemptionReason: 'why' })),
    ['BR-Z-10 items.0.exemption_reason'],
  ],
  [
    'BR-E-10: exempt without a reason',
    'factur-x',
    both(free('E'), withoutReason),
    ['BR-E-10 items.0.exemption_reason'],
  ],
  [
    'BR-AE-10: reverse charge without a reason',
    'factur-x',
    both(free('AE'), withoutReason),
    ['BR-AE-10 items.0.exemption_reason'],
  ],
  [
    'BR-IC-10: an intra-community supply without a reason',
    'factur-x',
    both(supply, withoutReason),
    ['BR-IC-10 items.0.exemption_reason'],
  ],
  [
    'BR-G-10: an export without a reason',
    'factur-x',
    both(free('G'), withoutReason),
    ['BR-G-10 items.0.exemption_reason'],
  ],
  [
    'BR-O-10: outside of VAT without a reason',
    'factur-x',
    both(free('O'), withoutReason),
    ['BR-O-10 items.0.exemption_reason'],
  ],
  [
    'the field of a missing reason is that of the first line of the category',
    'factur-x',
    both(lines({}, { category: 'E', rate: '0' }), withoutReason),
    ['BR-E-10 items.1.exemption_reason'],
  ],
  [
    'BR-O-12: some lines outside of VAT',
    'factur-x',
    lines({ category: 'O', rate: '0' }, {}),
    ['BR-O-12 items.1.vat_category'],
  ],
  [
    'BR-IC-11: an intra-community supply without the time of delivery',
    'factur-x',
    both(supply, delivery({ period: undefined })),
    ['BR-IC-11 items.0.service_period_start'],
  ],
  [
    'BR-IC-12, BR-57: an intra-community supply without the country of delivery',
    'factur-x',
    both(supply, delivery({ country: undefined })),
    ['BR-57 customer.country', 'BR-IC-12 customer.country'],
  ],
];

const sums: Case[] = [
  ['BR-CO-10, BR-CO-15', 'factur-x', totals({ net: one }), ['BR-CO-10 total_net', 'BR-CO-15 total_gross']],
  ['BR-CO-14, BR-CO-15', 'factur-x', totals({ vat: one }), ['BR-CO-14 total_vat', 'BR-CO-15 total_gross']],
  ['BR-CO-15, BR-CO-16', 'factur-x', totals({ gross: one }), ['BR-CO-15 total_gross', 'BR-CO-16 amount_due']],
  ['BR-CO-16', 'factur-x', totals({ due: one }), ['BR-CO-16 amount_due']],
  ['BR-CO-17', 'factur-x', breakdown({ vat: one }), ['BR-CO-14 total_vat', 'BR-CO-17 vat_breakdown']],
  [
    'BR-CO-17: VAT of an invoice that is rounded differently',
    'factur-x',
    vatPlus('0.01'),
    ['BR-CO-14 total_vat', 'BR-CO-17 vat_breakdown'],
  ],
  [
    'BR-CO-17: VAT of a credit note that is off by more than rounding',
    'factur-x',
    both(the({ typeCode: '381' }), vatPlus('0.02')),
    ['BR-CO-14 total_vat', 'BR-CO-17 vat_breakdown'],
  ],
  [
    'BR-CO-14: VAT of a credit note that is rounded differently',
    'factur-x',
    both(the({ typeCode: '381' }), vatPlus('0.01')),
    ['BR-CO-14 total_vat'],
  ],
  [
    'BR-S-01',
    'factur-x',
    the({ vatBreakdown: [] }),
    ['BR-CO-14 total_vat', 'BR-CO-18 vat_breakdown', 'BR-S-01 items.0.vat_category'],
  ],
  ...(
    [
      ['S', 'BR-S'],
      ['Z', 'BR-Z'],
      ['E', 'BR-E'],
      ['AE', 'BR-AE'],
      ['G', 'BR-G'],
      ['O', 'BR-O'],
    ] as const
  ).flatMap(([category, prefix]): Case[] =>
    category === 'S'
      ? [[`${prefix}-08`, 'factur-x', breakdown({ net: one }), ['BR-CO-17 vat_breakdown', 'BR-S-08 vat_breakdown']]]
      : [
          [`${prefix}-08`, 'factur-x', both(free(category), breakdown({ net: one })), [`${prefix}-08 vat_breakdown`]],
          [
            `${prefix}-01`,
            'factur-x',
            both(free(category), the({ vatBreakdown: [] })),
            ['BR-CO-18 vat_breakdown', `${prefix}-01 items.0.vat_category`],
          ],
        ],
  ),
  ['BR-IC-08', 'factur-x', both(supply, breakdown({ net: one })), ['BR-IC-08 vat_breakdown']],
  [
    'BR-IC-01',
    'factur-x',
    both(supply, the({ vatBreakdown: [] })),
    ['BR-CO-18 vat_breakdown', 'BR-IC-01 items.0.vat_category'],
  ],
];

const xrechnung: Case[] = [
  ['BR-DE-1: no account to pay to', 'xrechnung-cii', the({ payment: undefined }), ['BR-DE-1 company.iban']],
  [
    'BR-DE-2, -5, -6, -7: no contact of the seller',
    'xrechnung-cii',
    both(sellersContact({ name: undefined, phone: ' ', email: undefined })),
    [
      'BR-DE-2 company.contact_name',
      'BR-DE-5 company.contact_name',
      'BR-DE-6 company.phone',
      'BR-DE-7 company.email',
      'PEPPOL-EN16931-R020 company.email',
    ],
  ],
  ['BR-DE-3: a seller without a city', 'xrechnung-cii', sellersAddress({ city: '' }), ['BR-DE-3 company.city']],
  [
    'BR-DE-4: a seller without a postal code',
    'xrechnung-cii',
    sellersAddress({ postalCode: undefined }),
    ['BR-DE-4 company.postal_code'],
  ],
  [
    'BR-DE-5: no contact person',
    'xrechnung-ubl',
    sellersContact({ name: undefined }),
    ['BR-DE-5 company.contact_name'],
  ],
  ['BR-DE-6: no phone', 'xrechnung-ubl', sellersContact({ phone: undefined }), ['BR-DE-6 company.phone']],
  ['BR-DE-8: a buyer without a city', 'xrechnung-ubl', buyersAddress({ city: undefined }), ['BR-DE-8 customer.city']],
  [
    'BR-DE-9: a buyer without a postal code',
    'xrechnung-ubl',
    buyersAddress({ postalCode: undefined }),
    ['BR-DE-9 customer.postal_code'],
  ],
  [
    'BR-DE-10, BR-DE-11: a delivery without city and postal code',
    'xrechnung-ubl',
    both(supply, delivery({ city: undefined, postalCode: undefined })),
    ['BR-DE-10 customer.city', 'BR-DE-11 customer.postal_code'],
  ],
  [
    'BR-DE-15: no buyer reference',
    'xrechnung-cii',
    the({ buyerReference: ' ' }),
    ['BR-DE-15 customer.buyer_reference'],
  ],
  [
    'BR-DE-16: neither VAT number nor tax number',
    'xrechnung-cii',
    noTaxNumbers,
    ['BR-S-02 company.vat_id', 'BR-DE-16 company.vat_id'],
  ],
  [
    'BR-DE-18: payment terms that look like a cash discount',
    'xrechnung-cii',
    the({ paymentTerms: 'Soon\n #SKONTO#' }),
    ['BR-DE-18 company.payment_terms_days'],
  ],
  [
    'PEPPOL-EN16931-R010: a buyer without an electronic address',
    'xrechnung-cii',
    both(buyer({ electronicAddress: undefined }), buyersEmail(undefined)),
    ['PEPPOL-EN16931-R010 customer.electronic_address'],
  ],
  [
    'PEPPOL-EN16931-R040: a discount rounded too much',
    'xrechnung-cii',
    inCurrency('JPY', { unitPrice: '101', percent: '3.33' }),
    ['PEPPOL-EN16931-R040 items.0.discount_percent'],
  ],
  [
    "PEPPOL-EN16931-R110, -R111: a line's period outside of the invoice's",
    'xrechnung-cii',
    both(
      lines({ period: { start: '2026-01-01', end: '2026-01-31' } }),
      delivery({ period: { start: '2026-01-02', end: '2026-01-30' } }),
    ),
    ['PEPPOL-EN16931-R110 items.0.service_period_start', 'PEPPOL-EN16931-R111 items.0.service_period_end'],
  ],
];

const peppol: Case[] = [
  [
    'no buyer reference',
    'peppol',
    the({ buyerReference: undefined }),
    ['PEPPOL-EN16931-R003 customer.buyer_reference', 'DE-R-015 customer.buyer_reference'],
  ],
  [
    'nobody has an electronic address',
    'peppol',
    both(
      seller({ vatId: undefined, contact: { name: 'x', phone: '123', email: undefined } }),
      buyer({ electronicAddress: undefined, vatId: undefined }),
      buyersEmail(undefined),
    ),
    [
      'PEPPOL-EN16931-R020 company.electronic_address',
      'PEPPOL-EN16931-R010 customer.electronic_address',
      'DE-R-007 company.email',
    ],
  ],
  [
    'nobody has an electronic address but e-mail',
    'peppol',
    both(seller({ vatId: undefined }), buyer({ electronicAddress: undefined, vatId: undefined })),
    [
      'PEPPOL-EN16931-CL008 company.electronic_address_scheme',
      'PEPPOL-EN16931-CL008 customer.electronic_address_scheme',
    ],
  ],
  [
    'a seller without a VAT number who has an electronic address',
    'peppol',
    seller({ vatId: undefined, electronicAddress: { value: '4012345000009', scheme: '0088' } }),
    [],
  ],
  ['a scheme that Peppol has lost since', 'peppol', address('0213-1', '0213'), []],
  [
    'a scheme that Peppol has lost',
    'peppol',
    both(the({ issueDate: '2026-08-24' }), address('0213-1', '0213')),
    ['PEPPOL-EN16931-CL008 customer.electronic_address_scheme'],
  ],
  ['the same scheme elsewhere', 'factur-x', both(the({ issueDate: '2026-08-24' }), address('0213-1', '0213')), []],
  [
    'a scheme that Peppol did not have yet',
    'peppol',
    both(the({ issueDate: '2026-08-23' }), address('1', '0248')),
    ['PEPPOL-EN16931-CL008 customer.electronic_address_scheme'],
  ],
  [
    'a currency that the code list lacked',
    'peppol',
    both(the({ issueDate: '2026-08-23' }), inCurrency('XCG')),
    ['PEPPOL-EN16931-CL007 currency'],
  ],
  ['a currency that the code list has now', 'peppol', both(the({ issueDate: '2026-08-24' }), inCurrency('XCG')), []],
  [
    'a line rounded too much',
    'peppol',
    inCurrency('JPY', { unitPrice: '1.25', quantity: '3' }),
    ['PEPPOL-EN16931-R120 items.0.unit_price_net'],
  ],
  ...(
    [
      ['PEPPOL-COMMON-R040', '0088', '4012345000009', '4012345000008'],
      ['PEPPOL-COMMON-R041', '0192', '974760673', '974760674'],
      ['PEPPOL-COMMON-R042', '0184', 'DK12345678', 'DK1234567'],
      ['PEPPOL-COMMON-R043', '0208', '0202239951', '0202239952'],
      ['PEPPOL-COMMON-R049', '0007', '5560360793', '5560360794'],
      ['PEPPOL-COMMON-R050', '0151', '51824753556', '51824753557'],
      ['PEPPOL-COMMON-R052', '0096', '1234567890', '123456789'],
      ['PEPPOL-COMMON-R053', '0198', 'DK12345678', '12345678'],
    ] as const
  ).flatMap(([id, scheme, right, wrong]): Case[] => [
    [`${id}: ${right} is right`, 'peppol', address(right, scheme), []],
    [`${id}: ${wrong} is wrong`, 'peppol', address(wrong, scheme), [`${id} customer.electronic_address`]],
    [
      `${id}: the seller's too`,
      'peppol',
      seller({ electronicAddress: { value: wrong, scheme } }),
      [`${id} company.electronic_address`],
    ],
    [
      `${id}: a registration number, too`,
      'peppol',
      seller({ registrationNumber: { value: wrong, scheme }, electronicAddress: { value: 'x', scheme: '0204' } }),
      [`${id} company.registration_number`],
    ],
  ]),
  [
    'German rules hold from Germany to Germany',
    'peppol',
    both(
      the({ payment: undefined, paymentTerms: '#' }),
      sellersAddress({ city: undefined, postalCode: undefined }),
      sellersContact({ name: undefined, phone: undefined, email: undefined }),
      buyersAddress({ city: undefined, postalCode: undefined }),
      delivery({ country: 'DE' }),
      seller({ taxNumber: undefined, vatId: undefined, electronicAddress: { value: '4012345000009', scheme: '0088' } }),
      lines({ category: 'S' }),
      delivery({ country: 'DE' }),
    ),
    [
      'BR-S-02 company.vat_id',
      'DE-R-001 company.iban',
      'DE-R-002 company.contact_name',
      'DE-R-003 company.city',
      'DE-R-004 company.postal_code',
      'DE-R-005 company.contact_name',
      'DE-R-006 company.phone',
      'DE-R-007 company.email',
      'DE-R-008 customer.city',
      'DE-R-009 customer.postal_code',
      'DE-R-010 customer.city',
      'DE-R-011 customer.postal_code',
      'DE-R-016 company.vat_id',
      'DE-R-018 company.payment_terms_days',
    ],
  ],
  [
    'German rules hold for no other buyers',
    'peppol',
    both(the({ payment: undefined }), buyersAddress({ country: 'AT', city: undefined })),
    [],
  ],
];

const fullItalian = both(of('IT', 'IT12345678901'), seller({ taxNumber: 'ABCDEF12G34H567I' }));
const swedish = both(of('SE', 'SE556036079301'), lines({ rate: '25' }), address('4012345000009', '0088'));
const swedishAddress = seller({ electronicAddress: { value: '5560360793', scheme: '0007' } });

const registered = (value: string, scheme: string): Change => seller({ registrationNumber: { value, scheme } });

const countries: Case[] = [
  ['a full Danish invoice', 'peppol', both(of('DK', 'DK12345678'), registered('12345678', '0184')), []],
  [
    'DK-R-002: a Danish seller without a CVR number',
    'peppol',
    of('DK', 'DK12345678'),
    ['DK-R-002 company.registration_number'],
  ],
  [
    'DK-R-014: a Danish register entry',
    'peppol',
    both(of('DK', 'DK12345678'), seller({ registerEntry: '12345678' })),
    ['DK-R-014 company.registration_number_scheme'],
  ],
  ['GR-R-001-1: Greece', 'peppol', of('GR', 'EL123456789'), ['GR-R-001-1 company.country']],
  [
    'a full Icelandic invoice, without a VAT number',
    'peppol',
    both(of('IS', undefined), registered('5501692829', '0196'), seller({ taxNumber: '1' })),
    [],
  ],
  [
    'IS-R-002, -003, -004: an Icelandic seller without a kennitala and a street, to an Icelandic buyer',
    'peppol',
    both(
      of('IS', 'IS12345'),
      address('5501692829', '0196'),
      seller({ electronicAddress: { value: '5501692829', scheme: '0196' } }),
      sellersAddress({ line1: undefined }),
      buyersAddress({ country: 'IS' }),
    ),
    ['IS-R-002 company.registration_number', 'IS-R-003 company.address_line1', 'IS-R-004 customer.country'],
  ],
  ['a full Italian invoice', 'peppol', fullItalian, []],
  [
    'IT-R-001: a short Italian tax number',
    'peppol',
    both(fullItalian, seller({ taxNumber: '1/2' })),
    ['IT-R-001 company.tax_number'],
  ],
  [
    'IT-R-002, -003, -004: an Italian seller without an address',
    'peppol',
    both(fullItalian, sellersAddress({ line1: undefined, city: undefined, postalCode: undefined })),
    ['IT-R-002 company.address_line1', 'IT-R-003 company.city', 'IT-R-004 company.postal_code'],
  ],
  ['a full Dutch invoice', 'peppol', of('NL', 'NL123456789B01'), []],
  [
    'NL-R-001: a Dutch credit note without its invoice',
    'peppol',
    both(of('NL', 'NL123456789B01'), the({ typeCode: '381' })),
    ['NL-R-001 invoice_id'],
  ],
  [
    'NL-R-002, -004: Dutch parties without a street',
    'peppol',
    both(of('NL', 'NL123456789B01'), sellersAddress({ line1: undefined }), buyersAddress({ country: 'NL', line1: '' })),
    ['NL-R-002 company.address_line1', 'NL-R-004 customer.address_line1'],
  ],
  [
    'NL-R-003: a Dutch register entry',
    'peppol',
    both(of('NL', 'NL123456789B01'), seller({ registerEntry: '12345678' })),
    ['NL-R-003 company.registration_number'],
  ],
  [
    'a Dutch KVK number beside a register entry, which is the address of a seller without a VAT number',
    'peppol',
    both(
      of('NL', undefined),
      registered('12345678', '0106'),
      seller({ registerEntry: 'KvK Amsterdam', taxNumber: '1' }),
    ),
    [],
  ],
  [
    'NL-R-007: a Dutch seller without an account',
    'peppol',
    both(of('NL', 'NL123456789B01'), the({ payment: undefined })),
    ['NL-R-007 company.iban'],
  ],
  ['a full Norwegian invoice', 'peppol', of('NO', 'NO974760673MVA'), []],
  [
    'NO-R-001: a Norwegian VAT number with a wrong check digit',
    'peppol',
    both(of('NO', 'NO974760674MVA'), swedishAddress),
    ['NO-R-001 company.vat_id'],
  ],
  ['a full Swedish invoice', 'peppol', swedish, []],
  ['a Swedish organization number', 'peppol', both(swedish, registered('5560360793', '0007')), []],
  [
    'SE-R-001: a Swedish VAT number of 10 digits',
    'peppol',
    both(swedish, swedishAddress, seller({ vatId: 'SE5560360793' })),
    ['SE-R-001 company.vat_id'],
  ],
  [
    'SE-R-002: a Swedish VAT number with a letter',
    'peppol',
    both(swedish, swedishAddress, seller({ vatId: 'SE55603607930X' })),
    ['SE-R-002 company.vat_id'],
  ],
  [
    'SE-R-005, -013: a Swedish tax number and register entry',
    'peppol',
    both(swedish, swedishAddress, seller({ taxNumber: 'x', registerEntry: '5560360794' })),
    ['SE-R-013 company.registration_number', 'SE-R-005 company.tax_number'],
  ],
  [
    'SE-R-006: a rate that Sweden lacks',
    'peppol',
    both(swedish, swedishAddress, lines({ rate: '19' })),
    ['SE-R-006 items.0.vat_rate'],
  ],
];

const cases = [...parties, ...documents, ...vat, ...sums, ...xrechnung, ...peppol, ...countries];

describe('what must be refused before an e-invoice is issued', () => {
  it('nothing of a typical invoice, of an intra-community supply, of a draft, and of a credit note', () => {
    const draft: EInvoice = { ...typical, number: undefined };
    const creditNote = the({ typeCode: '381', precedingInvoice: { number: '2026-0001', issueDate: '2026-01-01' } })(
      typical,
    );
    for (const format of formats)
      for (const invoice of [typical, intraCommunity, draft, creditNote]) expect(breaches(invoice, format)).toEqual([]);
  });

  it.each(cases)('%s (%s)', (_title, format, change, expected) => {
    expect(breaches(change(typical), format)).toEqual(expected);
  });

  it('a German VAT number is the address in Peppol of parties that have none but e-mail', () => {
    expect(breaches(buyer({ electronicAddress: { value: 'a@b.example', scheme: 'EM' } })(typical), 'peppol')).toEqual(
      [],
    );
  });

  it('all breaches at once, by field, as a 422 has them', () => {
    const invoice = both(buyersAddress({ city: undefined, postalCode: undefined }), noTaxNumbers)(typical);
    expect(toProblems(findBreaches(invoice, 'xrechnung-ubl'))).toEqual({
      'company.vat_id': [
        ['e_invoice_rule', 'BR-S-02: For the standard rate the seller needs a VAT or tax number.', { rule: 'BR-S-02' }],
        ['e_invoice_rule', 'BR-DE-16: The seller needs a VAT number or a tax number.', { rule: 'BR-DE-16' }],
      ],
      'customer.city': [['e_invoice_rule', 'BR-DE-8: The buyer needs a city.', { rule: 'BR-DE-8' }]],
      'customer.postal_code': [['e_invoice_rule', 'BR-DE-9: The buyer needs a postal code.', { rule: 'BR-DE-9' }]],
    });
  });
});

const ruleIds = new Set(formats.flatMap((format) => rulesByFormat[format].map(({ id }) => id)));

describe('the list of rules', () => {
  it('each rule has a case here that breaks it', () => {
    const broken = new Set(cases.flatMap(([, , , expected]) => expected.map((breach) => breach.split(' ')[0])));
    expect([...ruleIds].filter((id) => !broken.has(id))).toEqual([]);
  });

  it('each message is a sentence', () => {
    for (const format of formats)
      for (const { message } of rulesByFormat[format]) expect(message).toMatch(/^[A-Z].*\.$/);
  });

  const rows = Object.values(heldRules)
    .flat()
    .map(({ ids, by }) => ({ ids: ids.split(/,\s+/), holder: by }));

  it('rules/holders.ts lists exactly these rules as held by a rule', () => {
    const listed = rows.filter(({ holder }) => holder === 'rule').flatMap(({ ids }) => ids);
    expect(listed.toSorted()).toEqual([...ruleIds].toSorted());
  });

  it('rules/holders.ts says of no rule twice where it is held', () => {
    const listed = rows.flatMap(({ ids }) => ids);
    expect(listed.filter((id, index) => listed.indexOf(id) !== index)).toEqual([]);
    expect(listed.length).toBeGreaterThan(ruleIds.size);
  });
});
