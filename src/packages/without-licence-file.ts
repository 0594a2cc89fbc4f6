/** Packages that say their licence, but have no file with it. `npm run audit` refuses others. */
export const withoutFile: Record<string, { licence: string; holder: string }> = {};
