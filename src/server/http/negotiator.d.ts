/** Types for the part of the package that we use. The package has none for `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string> });
    /** @param preferred by us, of those that the client likes as much */
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
  }
}
