import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { today } from '../../graphql/context.ts';
import { listInputs } from '../../graphql/lists.ts';
import { customerInputs } from '../customer/filter.ts';
import { searchPartners } from '../customer/search.ts';
import { InvoiceStatus } from './type.ts';

/** As Invoice.isOverdue says. */
export const overdueOn = (day: Date): Prisma.InvoiceWhereInput => ({ status: 'ISSUED', dueDate: { lt: day } });

export const invoiceInputs = listInputs('Invoice', {
  ability: 'invoices:read',
  hidden: ['overdueAt'],
  enums: { status: InvoiceStatus },
  relations: { customer: customerInputs },
  computed: {
    isOverdue: {
      description: "Issued, not fully paid, and due before the tenant's today.",
      toCondition: (isOverdue, context) => {
        const overdue = overdueOn(today(context));
        return isOverdue ? overdue : { NOT: overdue };
      },
    },
  },
  search: {
    fields: "number, the subject and, for those who may read customers, the customer's company name",
    related: searchPartners('customer'),
  },
});
