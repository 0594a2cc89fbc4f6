import { t } from '../../i18n/t.ts';

/** The VAT categories of EN 16931, in words. */
export const categoryLabels: Readonly<Record<string, string>> = {
  S: t('taxed'),
  Z: t('taxed at 0%'),
  E: t('exempt'),
  AE: t('reverse charge'),
  K: t('supply within the EU'),
  G: t('export'),
  IMPORT: t('Import VAT'),
  O: t('not subject to VAT'),
};

export const basisLabels = { ACCRUAL: t('By documents'), CASH: t('By payments') } as const;

export const sideLabels = { RECEIVABLE: t('Owed by customers'), PAYABLE: t('Owed to suppliers') } as const;

export const profitLabels = {
  REVENUE: t('Revenue'),
  EXPENSES: t('Expenses'),
  EXCHANGE_GAINS: t('Exchange gains'),
  EXCHANGE_LOSSES: t('Exchange losses'),
} as const;

export const ecSalesLabels = { GOODS: t('Goods'), SERVICES: t('Services') } as const;

/** Where the suppliers of a row were. */
export const supplierLabels = {
  DOMESTIC: t('suppliers at home'),
  MEMBER_STATE: t('suppliers in other member states'),
  THIRD_COUNTRY: t('suppliers outside the EU'),
  UNKNOWN: t('suppliers without a country'),
} as const;

/** Where the customers of a row were. */
export const customerLabels = {
  DOMESTIC: t('customers at home'),
  MEMBER_STATE: t('customers in other member states'),
  THIRD_COUNTRY: t('customers outside the EU'),
  UNKNOWN: t('customers without a country'),
} as const;

/** Whose VAT a row of the report is. */
export const kindLabels = {
  OUTPUT: t('Sales'),
  REVERSE_CHARGE: t('Owed for purchases'),
  ACQUISITION: t('Owed for acquisitions'),
  INPUT: t('Purchases'),
  IMPORT: t('Imports'),
} as const;
