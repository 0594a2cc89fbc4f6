import { decimal } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import type { Receipt } from './fields.ts';

interface Warning {
  code: string;
  /** `lines.0.vat_amount` */
  field: string;
  message: string;
}

/** The warnings without that of a number which another says with its amount. */
export const withoutWeaker = <W extends { code: string }>(warnings: readonly W[]): readonly W[] =>
  warnings.some(({ code }) => code === 'RECEIPT_DUPLICATE')
    ? warnings.filter(({ code }) => code !== 'RECEIPT_NUMBER')
    : warnings;

/** A warning of the API in the language of the pages. */
export function describeWarning({ code, field, message }: Warning, lines: Receipt['lines'] = []): string {
  const rate = lines[Number(/^lines\.(\d+)/.exec(field)?.[1])]?.vatRate;
  if (code === 'RECEIPT_NUMBER')
    return t('Another receipt of this supplier has the same number. Is it the same receipt?');
  if (code === 'RECEIPT_DUPLICATE')
    return t('Another receipt of this supplier has the same number and amount: it is probably there already.');
  if (code === 'VAT_AMOUNT' && rate !== undefined)
    return t('The VAT at {rate} % is not that of the amounts. Is it what the document states?', {
      rate: decimal(rate),
    });
  return message;
}
