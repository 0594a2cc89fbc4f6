/** Whether campaigns run at full size, as `npm run test:reliability` does. The suite runs each of them for seconds. */
export const isLong = process.env['CAMPAIGN'] === 'long';

/** The size of a campaign in the suite and in full. An environment variable of this name overrides both. */
export const size = (name: string, { suite, full }: { suite: number; full: number }): number =>
  Number(process.env[name] ?? (isLong ? full : suite));
