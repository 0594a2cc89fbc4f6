import { heldRules, holders, notApplicable } from '../../schema/documents/e-invoice/rules/holders.ts';
import { formatTable } from './tables.ts';

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The page /docs/e-invoice-rules, as Markdown: where each rule of the e-invoices' standards is held. */
export function buildEInvoiceRules(): string {
  const specifications = Object.entries(heldRules).map(
    ([name, rules]) =>
      `## ${name}\n\n${formatTable(
        ['rules', 'held by', 'how'],
        rules.map(({ by, ids, how = '' }) => [oneLine(ids), by, how]),
      )}`,
  );
  return [
    '# Rules of e-invoices',
    'Where each fatal rule of EN 16931, XRechnung 3.0, and Peppol BIS Billing 3.0 is held.',
    formatTable(['held by', ''], Object.entries(holders)),
    ...specifications,
    '## Rules about what invoices here don’t have',
    formatTable(
      ['about', 'rules'],
      notApplicable.map(({ about, ids }) => [oneLine(about), oneLine(ids)]),
    ),
  ].join('\n\n');
}
