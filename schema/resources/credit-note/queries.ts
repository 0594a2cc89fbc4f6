import { CreditNote } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { creditNoteInputs } from './filter.ts';
import { Invoice } from '../invoice/type.ts';

const CreditNoteConnection = builder.connectionObject({ type: CreditNote, name: 'CreditNoteConnection' });

builder.queryFields((t) => ({
  creditNote: t.prismaField({
    type: CreditNote,
    nullable: true,
    description: 'One credit note.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'CreditNote', id, query),
  }),
  creditNotes: t.connection(
    {
      type: CreditNote,
      description: 'The credit notes, newest first.',
      ability: 'invoices:read',
      args: { ...listArguments(creditNoteInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'CreditNote', creditNoteInputs, args),
    },
    CreditNoteConnection,
  ),
}));

builder.prismaObjectField(Invoice, 'creditNotes', (t) =>
  t.connection(
    {
      type: CreditNote,
      description: "The invoice's credit notes, newest first.",
      ...nestedList('CreditNote', 'invoiceId', 'creditNotes', creditNoteInputs),
    },
    CreditNoteConnection,
  ),
);
