import { observeStatements } from '../../prisma/connection.ts';

/** A statement as it went to PostgreSQL. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Hears of every statement of this process, whichever connection it goes to. @returns what ends that */
export const listen = (hear: (statement: Statement) => void): (() => void) =>
  observeStatements(({ text, values = [] }) => void hear({ text, values }));

/** What every-statement.ts has heard, and will complain of. */
export const nameless = new Set<string>();

/** Statements that Citus refuses, as every-statement.ts has heard. */
export const refused = new Set<string>();
