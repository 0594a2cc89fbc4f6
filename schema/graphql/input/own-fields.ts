import type { ModelWith } from '../../../prisma/client.ts';
import type { Problems } from '../../errors/errors.ts';
import type { InputFields, MutationFields } from '../builder.ts';
import type { Context } from '../context.ts';
import { hasTooMany, mergeMetadata, metadata, newMetadata, tooManyPairs, type Metadata } from '../scalars/metadata.ts';
import { requireNewExternalId } from './external-id.ts';
import { externalId } from './validators.ts';

// The fields in which clients keep what is theirs: the same on every resource that they write.

/** Those of a new row. */
export const newOwnFields = (t: InputFields) => ({
  externalId: t.string({ validate: externalId }),
  metadata: t.field({ type: 'Metadata', validate: newMetadata }),
});

/** Those of a new payment: what records it takes them beside other arguments, or other fields. */
const ofPayment = {
  externalId: { description: "The payment's id in another system, unique among payments.", validate: externalId },
  metadata: { type: 'Metadata', description: 'What you keep with the payment.', validate: newMetadata },
} as const;

export const newPaymentArguments = (t: MutationFields) => ({
  externalId: t.arg.string(ofPayment.externalId),
  metadata: t.arg(ofPayment.metadata),
});

export const newPaymentFields = (t: InputFields) => ({
  externalId: t.string(ofPayment.externalId),
  metadata: t.field(ofPayment.metadata),
});

/** Those of an update. */
export const ownFields = (t: InputFields) => ({
  externalId: t.string({ validate: externalId }),
  metadata: t.field({
    type: 'Metadata',
    description: 'An update sets the keys that it names, and removes those whose value is null; null removes all.',
    validate: metadata,
  }),
});

export interface OwnFields {
  externalId?: string | null | undefined;
  metadata?: Metadata | null | undefined;
}

type Owning = ModelWith<{ externalId: string | null; metadata: unknown }>;

/** Their rules in an update of a row. Those of a new row are checked by themselves: checkNewExternalId(). */
export function ownRules(
  context: Context,
  problems: Problems,
  model: Owning,
  { externalId: wanted, metadata: changes }: OwnFields,
  row: { id: string; metadata: unknown },
): void {
  if (wanted != null) requireNewExternalId(context, problems, model, wanted, { id: row.id });
  if (changes && hasTooMany(mergeMetadata(row.metadata, changes))) problems.add('input.metadata', ...tooManyPairs);
}

/** The columns that an update of a row changes. */
export const ownColumns = ({ externalId: wanted, metadata: changes }: OwnFields, row: { metadata: unknown }) => ({
  externalId: wanted,
  metadata: changes === undefined ? undefined : mergeMetadata(row.metadata, changes),
});
