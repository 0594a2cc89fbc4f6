import { TimestampError } from '../../schema/resources/anchor/timestamp-error.ts';

/** A token has some kilobytes, with the certificates of its authorities. */
const maxAnswerBytes = 64 * 1024;
const usualTimeoutMs = 10_000;

/**
 * Sends a request to a time-stamping authority over HTTP (RFC 3161, section 3.4). Follows no redirect.
 * @param timeoutMs of the whole exchange
 * @returns the answer, not checked
 * @throws TimestampError
 */
export async function askAuthority(
  url: string,
  request: Uint8Array<ArrayBuffer>,
  stopping: AbortSignal,
  timeoutMs = usualTimeoutMs,
): Promise<Uint8Array<ArrayBuffer>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: request,
      redirect: 'manual',
      signal: AbortSignal.any([stopping, timeout]),
    });
    return await readResponse(response);
  } catch (error) {
    if (timeout.aborted) throw new TimestampError(`did not answer within ${timeoutMs / 1000} s`, { cause: error });
    if (error instanceof TimestampError || stopping.aborted) throw error;
    throw new TimestampError('can not be reached, or broke off', { cause: error });
  }
}

async function readResponse(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const { status, headers, body } = response;
  try {
    if (status !== 200) throw new TimestampError(`answered with the status ${status}: check TIMESTAMP_URL`);
    const [mediaType] = (headers.get('content-type') ?? '').toLowerCase().split(';');
    if (mediaType?.trim() !== 'application/timestamp-reply')
      throw new TimestampError('answered with something else than application/timestamp-reply: check TIMESTAMP_URL');
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body ?? []) {
      length += chunk.length;
      if (length > maxAnswerBytes) throw new TimestampError('answered with more than 64 KiB');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await body?.cancel().catch(() => {}); // it is read, or not wanted
  }
}
