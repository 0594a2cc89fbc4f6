declare const mark: unique symbol;

/**
 * Who holds what a tenant takes of what all tenants share: connections, memory, turns. A tenant is its own holder. A test
 * tenant's holder is the tenant that it belongs to, so that nobody gets a larger share by making test tenants. What one
 * tenant may have at once is thus counted by holder.
 *
 * Which rows a statement sees is another matter: that of the tenant's id. A holder is not a string, so that neither can stand
 * where the other is needed.
 */
export interface Holder {
  readonly [mark]: true;
}

/** A tenant, as far as it says who holds its share. */
export interface HoldingTenant {
  id: string;
  /** The tenant that a test tenant belongs to; null for others. */
  testOf: string | null;
}

export const getHolder = ({ id, testOf }: HoldingTenant): Holder => (testOf ?? id) as unknown as Holder;

/** The holder of a tenant's own share: that of a job, and of a tenant that isn't known as a test tenant. */
export const getOwnHolder = (tenantId: string): Holder => getHolder({ id: tenantId, testOf: null });
