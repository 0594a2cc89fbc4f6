// Names that are the same in each language.

export const iban = 'IBAN';
export const bic = 'BIC';
