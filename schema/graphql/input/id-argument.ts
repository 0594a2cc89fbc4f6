import { builder } from '../builder.ts';

/** The argument of a field that reads or changes one row. */
export const idArgument = builder.args((t) => ({ id: t.field({ type: 'UUID', required: true }) }));
