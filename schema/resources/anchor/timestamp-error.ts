/** Why an authority's answer is not accepted. */
export class TimestampError extends Error {
  override readonly name = 'TimestampError';
  /** @param what what the authority did */
  constructor(what: string, options?: ErrorOptions) {
    super(`The time-stamping authority ${what}`, options);
  }
}
