import type { z } from 'zod';
import type { Problem } from '../../errors/problem-codes.ts';

/** Carries a problem through zod. A class of its own, because zod's parameters have no type. */
class Refused {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** Options of zod's `refine` and `addIssue`: the problem of a refused value. A test finds validators without them. */
export const refusal = (...problem: Problem) => ({ message: problem[1], params: { refused: new Refused(problem) } });

/** Returns the problem of a value, from an issue that zod reports. */
export function toProblem(issue: z.core.$ZodIssue): Problem {
  const { message } = issue;
  if (issue.code === 'custom') {
    const refused: unknown = issue.params?.['refused'];
    if (refused instanceof Refused) return refused.problem;
  }
  if (issue.code === 'too_big' && issue.origin === 'string')
    return ['too_long', message, { max: Number(issue.maximum) }];
  if (issue.code === 'invalid_type') return ['wrong_type', message, { expected: issue.expected }];
  return ['invalid_format', message];
}
