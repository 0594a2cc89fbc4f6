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

/** Adds the holder to a tenant's row. */
export const withHolder = <Tenant extends { id: string; testOf: string | null }>(
  tenant: Tenant,
): Tenant & { holder: Holder } => ({ ...tenant, holder: (tenant.testOf ?? tenant.id) as unknown as Holder });

/** The holder of what acts for a tenant without knowing whether it is a test tenant: the tenant itself. */
export const getOwnHolder = (tenantId: string): Holder => withHolder({ id: tenantId, testOf: null }).holder;
