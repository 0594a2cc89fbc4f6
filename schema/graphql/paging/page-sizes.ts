// Separate from page.ts: the command line needs no GraphQL schema, and starts faster.

/** The largest page of the change feed, and the default one. */
export const maxChanges = 1000;
export const defaultChanges = 100;

/** The largest page size, and the default one. */
export const maxPageSize = 100;
export const defaultPageSize = 25;
