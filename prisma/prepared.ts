/**
 * Names for the statements that PostgreSQL is to keep prepared on each connection. It never forgets one by itself, and
 * what clients ask for in GraphQL has no end: only what is asked again gets a name, and no more than `most` have one.
 */
export class PreparedNames {
  readonly most: number;
  /** By text; undefined until it is asked for again. The first is what was asked least lately. */
  readonly #names = new Map<string, string | undefined>();
  #given = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** How many were given so far: what a connection holds that was opened when there were none. */
  get given(): number {
    return this.#given;
  }

  /** A statement's name; empty where it is not to be kept. */
  of(text: string): string {
    if (this.most === 0) return '';
    const name = this.#names.get(text) ?? (this.#names.has(text) ? `kontor_${this.#given++}` : undefined);
    this.#names.delete(text);
    this.#names.set(text, name);
    if (this.#names.size > this.most) this.#names.delete(this.#names.keys().next().value ?? '');
    return name ?? '';
  }
}
