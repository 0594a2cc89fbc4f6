const uuid = /^\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?=\/|$)/;

/** The tenant in a path such as `/0190a1b2-…/invoices`. */
export const getTenant = (path: string): string | undefined => uuid.exec(path)?.[1];

const storageKey = 'kontor-tenant';

/** The tenant that was open last, for a path without one. */
export const lastTenant = (): string | undefined => localStorage.getItem(storageKey) ?? undefined;

export const rememberTenant = (id: string): void => localStorage.setItem(storageKey, id);

export const forgetTenant = (): void => localStorage.removeItem(storageKey);
