// Separate from naming.ts: the command line needs no GraphQL, and starts faster.

/** `unitPriceNet` → `unit_price_net`. */
export const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
