import type { EInvoice } from '../e-invoice/model.ts';

// EPC069-12, version 2.1 of the guidelines.
const maxName = 70;
const maxText = 140;
const maxBytes = 331;
const maxAmount = '999999999.99';

// The countries and territories of the SEPA schemes, by the country code of their IBANs.
const sepa = new Set(
  (
    'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE ' +
    'SI SK SM VA'
  ).split(' '),
);

/**
 * The bytes of a GiroCode (EPC069-12) that pays an invoice by a SEPA credit transfer.
 * @returns undefined if there is nothing to be paid this way: another currency, no account of SEPA, an amount of 0 or
 *   above the standard's limit, a credit note, or a draft
 */
export function giroCode(invoice: EInvoice): Uint8Array | undefined {
  const { payment, totals, currency, typeCode, number } = invoice;
  if (payment === undefined || currency !== 'EUR' || typeCode !== '380' || number === undefined) return undefined;
  if (totals.due.lessThan('0.01') || totals.due.greaterThan(maxAmount)) return undefined;
  const iban = payment.iban.replaceAll(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) || !sepa.has(iban.slice(0, 2))) return undefined;
  const bic = payment.bic?.replaceAll(/\s/g, '').toUpperCase() ?? '';
  const lines = [
    'BCD', // service tag
    '002', // version: the BIC is optional
    '1', // UTF-8
    'SCT', // SEPA credit transfer
    /^[A-Z0-9]{8}([A-Z0-9]{3})?$/.test(bic) ? bic : '',
    shorten(payment.accountName, maxName),
    iban,
    `EUR${totals.due.toFixed(2)}`,
    '', // purpose
    '', // structured reference: ISO 11649, which invoice numbers aren't
    shorten(payment.reference ?? '', maxText),
  ];
  // Trailing empty lines are left out, and so is the last line's end.
  while (lines.at(-1) === '') lines.pop();
  const bytes = new TextEncoder().encode(lines.join('\n'));
  return bytes.length <= maxBytes ? bytes : undefined;
}

/** One line of at most `length` characters. */
const shorten = (text: string, length: number): string =>
  [
    ...text
      .toWellFormed()
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, length)
    .join('')
    .trimEnd();
