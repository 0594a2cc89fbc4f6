import manifest from '../package.json' with { type: 'json' };

/** Kontor's version. REST's own is in its address. */
export const { version } = manifest;
