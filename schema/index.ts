import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars/scalars.ts';
import './identity/profile.ts';
import './identity/api-token.ts';
import './identity/member.ts';
import './identity/session.ts';
import './resources/customer.ts';
import './resources/invoice/invoice.ts';
import './resources/invoice/mutations.ts';
import './resources/invoice/totals-preview.ts';
import './resources/invoice/transitions.ts';
import './resources/receipt/receipt.ts';
import './resources/project/project.ts';
import './resources/time-entry.ts';
import './resources/payment.ts';
import './resources/bank-transaction/bank-transaction.ts';
import './resources/bank-transaction/matching.ts';
import './resources/bank-transaction/suggestions.ts';
import './resources/project/billing.ts';
import './resources/overview.ts';
import './bank-import/upload.ts';
import './resources/webhook/webhook.ts';
import './resources/delivery/delivery.ts';
import './resources/delivery/subscription.ts';

/** The domain, as an executable schema; everything in it in the order declared. */
export const toSchema = (): GraphQLSchema => builder.toSchema({ sortSchema: false });
