import { builder } from '../builder.ts';

/** The argument of lists that selects rows by their last change. */
export const updatedSinceArgument = builder.args((t) => ({
  updatedSince: t.field({
    type: 'DateTime',
    description: 'Only rows that were created or changed at this time or later.',
  }),
}));

/** The condition of that argument; none if it isn't given. */
export const updatedSince = (args: { updatedSince?: Date | null }): { updatedAt?: { gte: Date } } =>
  args.updatedSince ? { updatedAt: { gte: args.updatedSince } } : {};
