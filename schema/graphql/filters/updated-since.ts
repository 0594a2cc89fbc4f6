import { builder } from '../builder.ts';

/** The argument of lists that selects rows by their last change. */
export const updatedSinceArgument = builder.args((t) => ({
  updatedSince: t.field({
    type: 'DateTime',
    description: 'Only rows that were created or changed at this time or later.',
  }),
}));

export const updatedSince = (time: Date) => ({ updatedAt: { gte: time } });
