/** The day on which a deprecation was announced, and the day from which it may be removed; as midnight UTC. */
export interface Deprecation {
  since: Date;
  sunset: Date;
}

const form = /Deprecated since (\d{4}-\d\d-\d\d), gone from (\d{4}-\d\d-\d\d)\.$/;

/**
 * The reason of `@deprecated`, as a `deprecationReason` of a field, argument or value. Everything that announces a
 * deprecation reads it from there: SDL, OpenAPI, REST's headers.
 * @param instead a sentence: what to use now
 * @param since the day of its changelog entry, YYYY-MM-DD
 * @param sunset at least six months later (DECISIONS.md#d70-deprecation)
 */
export function deprecated(instead: string, since: string, sunset: string): string {
  const earliest = Temporal.PlainDate.from(since).add({ months: 6 });
  if (Temporal.PlainDate.compare(sunset, earliest) < 0)
    throw new Error(`Deprecated since ${since}: not before ${earliest.toString()}`);
  return `${instead} Deprecated since ${since}, gone from ${sunset}.`;
}

/** The dates in a deprecation's reason; undefined without a reason. @throws Error for a reason without dates */
export function parseDeprecation(reason: string | null | undefined): Deprecation | undefined {
  if (reason == null) return undefined;
  const [, since, sunset] = form.exec(reason) ?? [];
  if (!since || !sunset)
    throw new Error(`"${reason}": a deprecation needs its dates, see schema/graphql/deprecation.ts`);
  return { since: new Date(since), sunset: new Date(sunset) };
}
