import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { today, type Context } from '../schema/graphql/context.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/Asuncion', 'Asia/Beirut', 'Pacific/Apia', 'Australia/Lord_Howe'];
/** Times around changes to and from daylight saving time, one of them at midnight, and an ordinary time. */
const times = ['2026-03-29', '2026-10-25', '2026-03-22', '2023-10-01', '2011-12-30', '2026-11-21'].map(Date.parse);

it('today is the date in the tenant’s time zone', () => {
  const at = fc.tuple(fc.constantFrom(...times), fc.integer({ min: -172_800_000, max: 172_800_000 }));
  const questions = fc.array(fc.tuple(fc.constantFrom(...zones), at), { minLength: 2, maxLength: 30 });
  fc.assert(
    fc.property(questions, (asked) => {
      for (const [timezone, [near, offset]] of asked) {
        const time = near + offset;
        const day = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone).toPlainDate();
        const context = { now: () => new Date(time), tenant: { timezone, clockAheadMs: 0 } } as Context;
        expect(today(context).toISOString()).toBe(`${day.toString()}T00:00:00.000Z`);
      }
    }),
    { numRuns: 300 },
  );
});
