/** Splits an IBAN into its groups of four, as it is printed; other account numbers stay whole. */
export const splitIban = (account: string): string[] =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(account) ? (account.match(/.{1,4}/g) ?? []) : [account];

/** An IBAN as text, where no element can be: `DE02 1203 0000 0000 2020 51`. */
export const formatIban = (account: string): string => splitIban(account).join(' ');
