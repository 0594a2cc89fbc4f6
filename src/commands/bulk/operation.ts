import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { count } from '../remote/wait-for-end.ts';

const operation = z.object({
  id: z.string(),
  status: z.string(),
  lines: count,
  processed_lines: count,
  succeeded_lines: count,
  failed_lines: count,
  error: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type Operation = z.infer<typeof operation>;

export function readOperation(body: unknown): Operation {
  const { data, error } = z.object({ data: operation }).safeParse(body);
  if (error) throw new CommandFailure(exitCodes.failed, 'The service answered something that is no bulk operation.');
  return data.data;
}
