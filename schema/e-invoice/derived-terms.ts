import type { EInvoice, Seller } from './model.ts';
import { textOf } from './xml.ts';

// Business terms that follow from others, in the same way in both syntaxes.

/** BT-81, UNTDID 4461: SEPA credit transfer for EUR, credit transfer for other currencies, 1 if no account is named. */
export function paymentMeansCode({ payment, currency }: Pick<EInvoice, 'payment' | 'currency'>): '58' | '30' | '1' {
  if (!payment) return '1';
  return currency === 'EUR' ? '58' : '30';
}

/** BT-140, UNTDID 5189: discount. It stands for a reason in words (BT-139), so that no language has to be chosen. */
export const discountReasonCode = '95';

/**
 * BT-29. A buyer has to be able to identify the seller by BT-29, BT-30, or BT-31 (BR-CO-26). A small business may have
 * neither VAT number nor register entry; its tax number is then its identifier too.
 */
export const sellerIdentifier = ({ vatId, registerEntry, taxNumber }: Seller): string | undefined =>
  textOf(vatId) === '' && textOf(registerEntry) === '' ? taxNumber : undefined;
