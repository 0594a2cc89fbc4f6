import { currentTime } from '../../prisma/clock.ts';
import type { FailureKind, SimulatedFailure } from '../../schema/resources/webhook/simulated-failures.ts';
import { failureMessage } from './failure-message.ts';
import type { Outcome } from './post.ts';

const answers: Record<FailureKind, { status: number } | { error: string }> = {
  SERVER_ERROR: { status: 500 },
  TOO_MANY_REQUESTS: { status: 429 },
  TIMEOUT: { error: 'timed out' },
  CONNECTION_REFUSED: { error: failureMessage({ code: 'ECONNREFUSED' }, false) },
};

/** The outcome of an attempt for which nothing is sent. The delivery log says that it was simulated. */
export function simulate({ failure, retryAfter }: SimulatedFailure): Outcome {
  const answer = answers[failure];
  const common = { startedAt: currentTime(), durationMs: 0 };
  if ('error' in answer) {
    const error = `${answer.error} (simulated)`;
    return { ...common, status: null, responseHeaders: null, responseBody: Buffer.alloc(0), error };
  }
  const headers = { 'content-type': 'text/plain', ...(retryAfter !== null && { 'retry-after': String(retryAfter) }) };
  const responseBody = Buffer.from('Simulated: nothing was sent.');
  return { ...common, status: answer.status, responseHeaders: headers, responseBody, error: null };
}
