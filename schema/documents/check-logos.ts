import type { Context } from '../graphql/context.ts';
import { deleteUnusedLogos, lockLogos } from './logos.ts';
import { isStorableLogo } from './pdf/logo.ts';

// Earlier versions stored logos without such a look at them, and never deleted one.

/**
 * Decodes a tenant's logos, and deletes those that can't be decoded: documents that are made later show the name instead. Files
 * that are made already stay as they are. Deletes logos that nothing has any more, too.
 * @param pause is called after each logo
 * @returns the ids of the logos that couldn't be decoded
 */
export async function checkLogos(context: Context, pause: () => Promise<void>): Promise<string[]> {
  const broken: string[] = [];
  for (const { id } of await context.db.companyLogo.findMany({ select: { id: true }, orderBy: { id: 'asc' } })) {
    const logo = await context.db.companyLogo.findFirst({ where: { id }, select: { bytes: true } });
    if (logo && !isStorableLogo(logo.bytes)) {
      await deleteBroken(context, id);
      broken.push(id);
    }
    await pause();
  }
  await unmark(context);
  return broken;
}

const deleteBroken = (context: Context, id: string): Promise<void> =>
  context.transaction(async (inside) => {
    await lockLogos(inside);
    await inside.db.company.updateMany({ where: { logoId: id }, data: { logoId: null } });
    await inside.db.companyLogo.deleteMany({ where: { id } });
  });

/**
 * Takes the mark from logos that no issued invoice has: all had it that were stored before there was a mark. The profile's keeps
 * it, because an invoice may be issued just now.
 */
const unmark = (context: Context): Promise<void> =>
  context.transaction(async (inside) => {
    await lockLogos(inside);
    const marked = { isOnDocuments: true, companies: { none: {} } };
    if ((await inside.db.companyLogo.findFirst({ where: marked, select: { id: true } })) === null) return;
    const rows = await inside.db.$rows<{ id: string }>(
      `select distinct seller ->> 'logo_id' as id from invoice_parties
       where tenant_id = $1 and seller ->> 'logo_id' is not null`,
      [],
    );
    const used = rows.map(({ id }) => id);
    await inside.db.companyLogo.updateMany({
      where: { id: { notIn: used }, ...marked },
      data: { isOnDocuments: false },
    });
    const company = await inside.db.company.findFirst({ select: { logoId: true } });
    await deleteUnusedLogos(inside, { logoId: company?.logoId ?? null });
  });
