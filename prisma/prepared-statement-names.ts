/**
 * Names for the statements that PostgreSQL keeps prepared on each connection. PostgreSQL never drops one by itself, and
 * GraphQL clients can cause any number: a statement gets a name the second time it is sent, and at most `most` have one.
 */
export class PreparedStatementNames {
  readonly most: number;
  /** By text; undefined until a text is sent again. Least recently used first. */
  readonly #names = new Map<string, string | undefined>();
  #given = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** How many names were assigned so far: an upper bound for what a connection opened at the start holds. */
  get given(): number {
    return this.#given;
  }

  /** A statement's name; empty where it is not to be kept prepared. */
  of(text: string): string {
    if (this.most === 0) return '';
    const name = this.#names.get(text) ?? (this.#names.has(text) ? `kontor_${this.#given++}` : undefined);
    this.#names.delete(text);
    this.#names.set(text, name);
    if (this.#names.size > this.most) this.#names.delete(this.#names.keys().next().value ?? '');
    return name ?? '';
  }
}
