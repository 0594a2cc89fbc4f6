const uuid = /^\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?=\/|$)/;

/** The tenant that an address names: `/0190a1b2-…/invoices`. */
export const tenantOf = (path: string): string | undefined => uuid.exec(path)?.[1];

const key = 'kontor-tenant';

/** The tenant that was open last, for an address that names none. */
export const lastTenant = (): string | undefined => localStorage.getItem(key) ?? undefined;

export const rememberTenant = (id: string): void => localStorage.setItem(key, id);

export const forgetTenant = (): void => localStorage.removeItem(key);
