/** How large a tenant is, by its number of invoices. */
export type SizeClass = 'small' | 'medium' | 'large';

export const sizeClasses: SizeClass[] = ['small', 'medium', 'large'];

/** The number of invoices of most tenants. */
const smallest = 50;

/** At scale 1, a tenant with 100,000 invoices is large. */
export const findSizeClass = (invoices: number, scale: number): SizeClass =>
  invoices >= 100_000 * scale ? 'large' : invoices > smallest ? 'medium' : 'small';

/**
 * The number of invoices of each tenant, in descending order. At scale 1 these are 10,000 tenants with about 3,000,000
 * invoices: three have 500,000, and the tenant at place n of the others has 1 / n of a constant, but at least 50.
 */
export function tenantSizes(scale: number): number[] {
  return Array.from({ length: Math.max(10, Math.round(10_000 * scale)) }, (_, index) =>
    Math.max(smallest, Math.round((index < 3 ? 500_000 : 172_000 / (index + 1)) * scale)),
  );
}
