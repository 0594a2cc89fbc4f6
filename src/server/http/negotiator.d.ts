/** What we use of the package, which has no types for `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string> });
    /** @param preferred by us, of those that the client likes as much */
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
  }
}
