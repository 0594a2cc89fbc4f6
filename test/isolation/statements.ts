import { observeStatements } from '../../prisma/connection/connection.ts';
import { clusterUrl } from '../citus/cluster.ts';

/** A statement as it went to PostgreSQL. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Hears of every statement of this process, whichever connection it goes to. @returns what ends that */
export const listen = (hear: (statement: Statement) => void): (() => void) =>
  observeStatements(({ text, values = [] }) => void hear({ text, values }));

/**
 * Sets the tenant or the actor, and does nothing else, as an insertion does that names its actor itself. A transaction for that
 * alone is spelled in small letters, one of Prisma's in capitals.
 */
const setsTenant = /^(?:begin|commit|set local .*)$|^(?!.*\binsert\b).*set_config/s;
/** Moves the outbox: on a cluster, the tests' services do so, as a worker does. */
const movesOutbox = /\b(?:is_distributed|outbox|watchers|queue_jobs|pg_notify|pg_try_advisory_xact_lock)\b/;

/** Whether a statement only sets the tenant of the next one, or only moves the outbox. */
export const isOverhead = (text: string): boolean =>
  setsTenant.test(text) || (clusterUrl !== undefined && movesOutbox.test(text));

/** Statements that every-statement.ts has heard, and will complain of. */
export const nameless = new Set<string>();

/** Statements that Citus refuses, as every-statement.ts has heard. */
export const refused = new Set<string>();
