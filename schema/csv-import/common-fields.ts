import type { FieldDeclaration } from './kind.ts';

export const externalIdField = {
  type: 'TEXT',
  required: true,
  description: 'The id in the other system. A row that was imported before is skipped.',
} as const satisfies FieldDeclaration;

export const currencyField: FieldDeclaration = { description: "ISO 4217. Default: the tenant's." };

/** A column with the other system's id of a row, or its name. */
export const reference = (noun: string, { required = false } = {}): FieldDeclaration => ({
  type: 'REFERENCE',
  required,
  description: `The ${noun}: its id in the other system, or its name, exactly as here.`,
});

export const noMetadata = 'A column has one text, not pairs.';

const noRate = 'A rate needs its day and its currency, which files of other systems leave out.';

/** Documents in foreign money come without a rate. */
export const noExchange = { exchangeRate: noRate, exchangeRateDate: noRate, exchangeRateSource: noRate };
