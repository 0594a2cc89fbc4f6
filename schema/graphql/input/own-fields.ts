import type { InputFields } from '../builder.ts';
import { externalId } from './validators.ts';

/** The fields in which clients keep what is theirs: on every resource that they write. */
export const ownFields = (t: InputFields) => ({
  externalId: t.string({ validate: externalId }),
});
