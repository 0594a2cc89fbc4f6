import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import './profile.ts';
import './api-token.ts';
import './member.ts';
import './session.ts';
import './customer.ts';
import './invoice.ts';
import './invoice-editing.ts';
import './invoice-totals.ts';
import './invoice-states.ts';
import './receipt.ts';
import './project.ts';
import './time-entry.ts';
import './payment.ts';
import './bank-transaction.ts';
import './matching.ts';
import './suggestion.ts';
import './billing.ts';
import './overview.ts';
import './statement-upload.ts';
import './webhook.ts';
import './delivery.ts';
import './delivery-change.ts';

/** The domain, as an executable schema; everything in it in the order declared. */
export const toSchema = (): GraphQLSchema => builder.toSchema({ sortSchema: false });
