import { builder } from '../builder.ts';

/** The argument of a mutation that changes one row. */
export const expectedVersionArgument = builder.args((t) => ({
  expectedVersion: t.int({
    description:
      'The `version` that the caller has read. If the row has another one by now, nothing is changed, and the error `VERSION_CONFLICT` has the row as it is, if the token may read it: `extensions.current`.',
  }),
}));
