import { builder } from '../../graphql/builder.ts';
import type { Breach } from '../../documents/e-invoice/breaches.ts';

export const BreachType = builder.objectRef<Breach>('EInvoiceBreach').implement({
  description: 'A rule that an invoice breaks.',
  example: { rule: 'BR-DE-8', field: 'customer.city', message: 'The buyer needs a city.' },
  fields: (t) => ({
    rule: t.exposeString('id', { description: 'The official id of the rule, of EN 16931, XRechnung, or Peppol.' }),
    field: t.exposeString('field', { description: 'The field to change, by its name in REST.' }),
    message: t.exposeString('message', { description: 'What the rule demands.' }),
  }),
});
