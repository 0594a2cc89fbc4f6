import type { EInvoice, Party, Seller } from './model.ts';
import { escapeText } from './xml.ts';

// Business terms that follow from others, in the same way in both syntaxes.

/** BT-81, UNTDID 4461: SEPA credit transfer for EUR, credit transfer for other currencies, 1 for anything else. */
export function paymentMeansCode({ payment, currency, seller, buyer }: EInvoice): '58' | '30' | '1' {
  if (!payment || (currency !== 'EUR' && areDanish(seller, buyer))) return '1';
  return currency === 'EUR' ? '58' : '30';
}

/** Within Denmark, Peppol allows no code 30 (DK-R-005), and the other codes need Danish account numbers. */
const areDanish = (...parties: Party[]): boolean => parties.every(({ address }) => address.country === 'DK');

/** BT-140, UNTDID 5189: discount. It stands for a reason in words (BT-139), so that no language has to be chosen. */
export const discountReasonCode = '95';

/**
 * BT-29. A buyer has to be able to identify the seller by BT-29, BT-30, or BT-31 (BR-CO-26). A small business may have
 * neither VAT number nor register entry; its tax number is then its identifier too.
 */
export const sellerIdentifier = (seller: Seller): string | undefined =>
  escapeText(seller.vatId) === '' && escapeText(legalRegistration(seller)?.value) === '' ? seller.taxNumber : undefined;

/** BT-30: the registration number with its scheme, or else the register entry as it is written. */
export const legalRegistration = ({
  registrationNumber,
  registerEntry,
}: Seller): { value: string; scheme?: string } | undefined =>
  registrationNumber ?? (registerEntry === undefined ? undefined : { value: registerEntry });

/** BT-33: the register entry, where BT-30 is a number. */
export const legalInformation = ({ registrationNumber, registerEntry }: Seller): string | undefined =>
  registrationNumber && registerEntry;
