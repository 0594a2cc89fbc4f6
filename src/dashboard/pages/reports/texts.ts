/** The VAT categories of EN 16931, in words. */
export const categoryLabels: Readonly<Record<string, string>> = {
  S: 'taxed',
  Z: 'taxed at 0 %',
  E: 'exempt',
  AE: 'reverse charge',
  K: 'supply within the EU',
  G: 'export',
  IMPORT: 'Import VAT',
  O: 'not subject to VAT',
};

export const basisLabels = { ACCRUAL: 'By documents', CASH: 'By payments' } as const;

export const sideLabels = { RECEIVABLE: 'Owed by customers', PAYABLE: 'Owed to suppliers' } as const;

export const profitLabels = { REVENUE: 'Revenue', EXPENSES: 'Expenses' } as const;

export const ecSalesLabels = { GOODS: 'Goods', SERVICES: 'Services' } as const;

/** Where the suppliers of a row were. */
export const placeLabels = {
  DOMESTIC: 'suppliers at home',
  MEMBER_STATE: 'suppliers in other member states',
  THIRD_COUNTRY: 'suppliers outside the EU',
  UNKNOWN: 'suppliers without a country',
} as const;

/** Whose VAT a row of the report is. */
export const kindLabels = {
  OUTPUT: 'Sales',
  REVERSE_CHARGE: 'Owed for purchases',
  ACQUISITION: 'Owed for acquisitions',
  INPUT: 'Purchases',
  IMPORT: 'Imports',
} as const;
