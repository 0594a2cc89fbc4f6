/** The VAT rates of Germany, without zeros at their ends: also those of the second half of 2020, which later corrections have. */
export const germanRates: ReadonlySet<string> = new Set(['19', '7', '16', '5']);
