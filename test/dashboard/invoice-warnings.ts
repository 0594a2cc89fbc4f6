import { frozenBuyer, frozenSeller } from '../../schema/documents/document-source.ts';
import { Decimal } from '../../schema/money/money.ts';
import type { InvoiceCheck } from '../../schema/resources/invoice/checklist.ts';
import { checkInvoice } from '../../schema/resources/invoice/warnings.ts';
import type { Warning } from '../../schema/resources/warning.ts';

const categories = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'];
const address = { address_line1: 'Hauptstr. 1', postal_code: '10115', city: 'Berlin' };

const orderWarnings: Warning[] = [
  {
    code: 'DATE_ORDER',
    field: 'invoice_date',
    message: '2026-0012 was issued before it, and has a later date: 2026-03-31.',
  },
];

/** The checks of invoices between sellers and buyers in many places, complete and incomplete. */
export function findAllChecks(): InvoiceCheck[] {
  const sellers = ['DE', 'AT', 'FR', 'US'].flatMap((country) => [
    { country },
    { country, ...address, city: null, vat_id: `${country}123456789`, iban: 'DE89370400440532013000' },
    { country, address_line1: 'Hauptstr. 1', tax_number: '12/345/67890' },
  ]);
  const buyers = [
    {},
    { country: 'DE', postal_code: '10115' },
    { country: 'FR', ...address },
    { country: 'FR', ...address, vat_id: 'FR40303265045' },
    { country: 'FR', vat_id: 'FR1' },
    { country: 'US', ...address, city: null },
  ];
  return sellers.flatMap((seller) =>
    buyers.flatMap((buyer) =>
      categories.flatMap((vatCategory) => {
        const item = { vatCategory, vatRate: new Decimal(vatCategory === 'S' ? 19 : 0), exemptionReason: null };
        const items = [{ ...item, servicePeriodStart: null, servicePeriodEnd: null }];
        const parties = {
          seller: frozenSeller.parse({ legal_name: 'Example', ...seller }),
          buyer: frozenBuyer.parse({ company_name: 'Acme', ...buyer }),
        };
        const invoice = { deliveryDate: null, exchangeRate: null, isPaid: false, orderWarnings, items };
        return ['EUR', 'USD'].flatMap((currency) => checkInvoice({ ...invoice, currency }, parties));
      }),
    ),
  );
}

/** The sentences of their warnings. */
export const findAllWarnings = (): string[] => [
  ...new Set(findAllChecks().flatMap(({ warnings }) => warnings.map(({ message }) => message))),
];
