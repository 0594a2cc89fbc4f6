// The demo tenants, by which they are recognized. The address can't be anybody's: `.example` is reserved.

export const demoEmail = 'demo@kontor.example';
export const demoTenant = 'Studio Nordlicht';
/** A small second tenant to switch to. */
export const secondDemoTenant = 'Café Ankerplatz';

/** Whether a tenant was made for demonstration, judged by its name and its user. */
export const isDemoTenant = ({ tenant, user }: { tenant: { name: string }; user: { email: string } }): boolean =>
  user.email === demoEmail && [demoTenant, secondDemoTenant].includes(tenant.name);
