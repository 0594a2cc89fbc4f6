/** Defaults of options. Times are in milliseconds. */
export const defaults = {
  /** Until an attempt without a response fails. */
  timeout: 30_000,
  /** The same for a request that sends a file or JSON Lines, which takes time itself. */
  uploadTimeout: 30 * 60_000,
  /** Further attempts after the first one. */
  maxRetries: 5,
  /** After which no further attempt begins. A full rate limit can take a minute. */
  maxRetryTime: 120_000,
  /** By which a delivery's time may differ from now. */
  webhookTolerance: 300_000,
} as const;
