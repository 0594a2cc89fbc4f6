/**
 * Names for the statements that PostgreSQL keeps prepared on each connection. PostgreSQL never drops one by itself, and
 * GraphQL clients can cause any number of them. Therefore a statement gets a name only when it is sent for the second time,
 * and at most `max` statements have one.
 */
export class PreparedStatementNames {
  readonly max: number;
  /** How many names were assigned so far. A connection holds at most `max` more than were assigned since it was opened. */
  assigned = 0;
  /** By text; undefined until a text is sent again. Least recently used first. */
  readonly #names = new Map<string, string | undefined>();

  constructor(max: number) {
    this.max = max;
  }

  /** The name of one of Prisma's statements. For a pattern or a range, the best index depends on the values: it has none. */
  readonly ofQuery = ({ sql }: { sql: string }): string => (/LIKE|[<>]/.test(sql) ? '' : this.of(sql));

  /** A statement's name; empty if it is not kept prepared. */
  of(text: string): string {
    if (this.max === 0) return '';
    const name = this.#names.get(text) ?? (this.#names.has(text) ? `kontor_${this.assigned++}` : undefined);
    this.#names.delete(text);
    this.#names.set(text, name);
    if (this.#names.size > this.max) this.#names.delete(this.#names.keys().next().value ?? '');
    return name ?? '';
  }
}
