import type { CustomerUpdate } from './mutations.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import type { Problems } from '../../errors/errors.ts';
import type { Customer as CustomerRow } from '../../../prisma/generated/client/client.ts';
import { schemeRules } from '../../graphql/input/schemes.ts';

/** The rules of a change. A supplier that receipts refer to stays a supplier. */
export async function customerRules(
  input: Readable<CustomerUpdate>,
  context: Context,
  problems: Problems,
  current: CustomerRow,
): Promise<void> {
  schemeRules('electronicAddress', input, problems, 'input.', current);
  if (input.type !== 'CUSTOMER' || current.type !== 'SUPPLIER') return;
  const receipt = await context.db.receipt.findFirst({ where: { supplierId: current.id }, select: { id: true } });
  if (receipt)
    problems.add('input.type', 'in_use', 'Receipts name this supplier: it can not become a customer.', {
      by: 'receipts',
    });
}

/** The rows that prevent the deletion of a customer. */
export async function customerReferences(context: Context, problems: Problems, { id }: CustomerRow): Promise<void> {
  const where = { customerId: id };
  if (await context.db.invoice.findFirst({ where }))
    problems.add('id', 'in_use', 'Invoices refer to this customer.', { by: 'invoices' });
  if (await context.db.payment.findFirst({ where }))
    problems.add('id', 'in_use', 'Payments refer to this customer.', { by: 'payments' });
  if (await context.db.project.findFirst({ where }))
    problems.add('id', 'in_use', 'Projects refer to this customer.', { by: 'projects' });
  if (await context.db.receipt.findFirst({ where: { supplierId: id } }))
    problems.add('id', 'in_use', 'Receipts refer to this customer.', { by: 'receipts' });
}
