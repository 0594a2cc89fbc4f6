import { hasCode, type CodeListName } from '../../codes/code-lists.ts';
import { minorDigits } from '../../money/money.ts';
import { eInvoiceFormats, type EInvoiceFormat } from './formats.ts';
import type { EInvoice, Party, Seller } from './model.ts';
import { escapeText } from './xml.ts';

/**
 * The schemes of VAT numbers in the code list EAS, by the numbers' prefix. A member of Peppol is often registered by its
 * VAT number.
 */
const vatNumberSchemes: Record<string, string> = {
  AD: '9922',
  AL: '9923',
  AT: '9914',
  BA: '9924',
  BE: '9925',
  BG: '9926',
  CH: '9927',
  CY: '9928',
  CZ: '9929',
  DE: '9930',
  EE: '9931',
  EL: '9933',
  ES: '9920',
  FR: '9957',
  GB: '9932',
  GR: '9933',
  HR: '9934',
  HU: '9910',
  IE: '9935',
  IT: '0211',
  LI: '9936',
  LT: '9937',
  LU: '9938',
  LV: '9939',
  MC: '9940',
  ME: '9941',
  MK: '9942',
  MT: '9943',
  NL: '9944',
  PL: '9945',
  PT: '9946',
  RO: '9947',
  RS: '9948',
  SI: '9949',
  SK: '9950',
  SM: '9951',
  TR: '9952',
  VA: '9953',
};

/**
 * Where a VAT number has the number by which businesses of the country are registered in Peppol, and the scheme of that number.
 * Finland's has its country in front: 0037.
 */
const registeredNumbers: { form: RegExp; scheme: string; prefix?: string }[] = [
  { form: /^BE(\d{10})$/, scheme: '0208' },
  { form: /^DK(\d{8})$/, scheme: '0184', prefix: 'DK' },
  { form: /^FI(\d{8})$/, scheme: '0216', prefix: '0037' },
  { form: /^NO(\d{9})MVA$/, scheme: '0192' },
  { form: /^SE(\d{10})\d\d$/, scheme: '0007' },
];

type Address = NonNullable<Party['electronicAddress']>;

/** The address that follows from a VAT number, if its scheme is known. */
function vatNumberAddress(vatId: string | undefined): Address | undefined {
  const value = escapeText(vatId)
    .replace(/[^0-9A-Za-z]/g, '')
    .toUpperCase();
  for (const { form, scheme, prefix = '' } of registeredNumbers) {
    const [, number] = form.exec(value) ?? [];
    if (number !== undefined) return { value: prefix + number, scheme };
  }
  const scheme = vatNumberSchemes[value.slice(0, 2)];
  return scheme === undefined ? undefined : { value, scheme };
}

/** Whoever has no electronic address but an e-mail address has that. */
function withEmailAddress<P extends Party>(party: P): P {
  if (party.electronicAddress || escapeText(party.contact.email) === '') return party;
  return { ...party, electronicAddress: { value: escapeText(party.contact.email), scheme: 'EM' } };
}

/**
 * Peppol has no e-mail addresses. Whoever has no other electronic address has their registration number, if Peppol knows its
 * scheme, or that of their VAT number.
 */
function withPeppolAddress<P extends Party & Partial<Seller>>(party: P, day: string): P {
  if (party.electronicAddress && party.electronicAddress.scheme !== 'EM') return party;
  const registered = party.registrationNumber;
  const isKnown = registered && hasCode('peppol-address-schemes', registered.scheme, day);
  const electronicAddress = (isKnown ? registered : undefined) ?? vatNumberAddress(party.vatId);
  return electronicAddress ? { ...party, electronicAddress } : party;
}

/** Whether a format has the accounting currency: its code (BR-CL-05), with at most two decimals (BR-DEC-15). */
function canSay({ accounting, issueDate }: EInvoice, format: EInvoiceFormat): boolean {
  if (!accounting || minorDigits(accounting.currency) > 2) return false;
  const lists: CodeListName[] = ['en-currencies'];
  if (format === 'peppol') lists.push('peppol-currencies');
  if (eInvoiceFormats[format].syntax === 'CII') lists.push('cii-schema-currencies');
  return lists.every((list) => hasCode(list, accounting.currency, issueDate));
}

/**
 * The invoice as a format can say it. Rules look at this too, so what is checked is what is written:
 *
 * - Parties without an electronic address get one: their e-mail address, in Peppol rather their registration or VAT number.
 * - Peppol has one note (PEPPOL-EN16931-R002): all notes, with blank lines between.
 * - An accounting currency that the format can't say is left out.
 * - Where nothing is subject to VAT, nobody's VAT number is written (BR-O-02).
 */
export function prepare<I extends EInvoice>(invoice: I, format: EInvoiceFormat): I {
  const isPeppol = format === 'peppol';
  const isOutsideOfVat = invoice.lines.length > 0 && invoice.lines.every(({ vatCategory }) => vatCategory === 'O');
  const prepared = <P extends Party>(party: P): P => {
    const addressed = withEmailAddress(isPeppol ? withPeppolAddress(party, invoice.issueDate) : party);
    return isOutsideOfVat ? { ...addressed, vatId: undefined } : addressed;
  };
  return {
    ...invoice,
    accounting: canSay(invoice, format) ? invoice.accounting : undefined,
    notes: isPeppol ? [invoice.notes.map(escapeText).filter(Boolean).join('\n\n')] : invoice.notes,
    seller: prepared(invoice.seller),
    buyer: prepared(invoice.buyer),
  };
}
