/** The day on which a deprecation was announced, and the day from which it may be removed; as midnight UTC. */
export interface Deprecation {
  since: Date;
  sunset: Date;
}

const form = /Deprecated since (\d{4}-\d\d-\d\d), gone from (\d{4}-\d\d-\d\d)\.$/;

/**
 * The dates in a deprecation's reason; undefined without a reason. A `deprecationReason` of a field, argument, or value says what
 * to use now, and these dates: `Use another. Deprecated since 2026-11-21, gone from 2027-05-21.` Everything that announces it
 * reads them from there: SDL, OpenAPI, REST's headers.
 * @throws Error for a reason without dates, or whose dates are less than six months apart (DECISIONS.md#d70-deprecation)
 */
export function parseDeprecation(reason: string | null | undefined): Deprecation | undefined {
  if (reason == null) return undefined;
  const [, since, sunset] = form.exec(reason) ?? [];
  if (!since || !sunset)
    throw new Error(`"${reason}": a deprecation needs its dates, see schema/graphql/deprecation.ts`);
  const earliest = Temporal.PlainDate.from(since).add({ months: 6 });
  if (Temporal.PlainDate.compare(sunset, earliest) < 0)
    throw new Error(`"${reason}": not before ${earliest.toString()}`);
  return { since: new Date(since), sunset: new Date(sunset) };
}
