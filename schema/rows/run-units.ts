import { setImmediate as nextTick } from 'node:timers/promises';
import { asCoded } from '../errors/errors.ts';
import type { Context } from '../graphql/context.ts';
import { deferInserts } from './defer-inserts.ts';

/** The outcome of a unit of work: its result, or the error that refused it. */
export type Outcome<Result> = { result: Result } | { error: unknown };

/** Does one unit. @param known what prepare() has found for the units that are tried together; undefined for one alone */
type Run<Unit, Result, Known> = (unit: Unit, context: Context, known?: Known) => Promise<Result>;

/** Looks up what units need, once for those that are tried together. */
type Prepare<Unit, Known> = (units: readonly Unit[], context: Context) => Promise<Known>;

/**
 * Does units of work in a transaction with savepoints, in their order. Each that is refused leaves nothing. An error that says
 * that the service is busy is thrown.
 *
 * Units are tried together: what they insert is written by few statements. Where that fails, nothing of them stays, and half as
 * many are tried. A unit alone is done as a request would, so that is what decides about it.
 */
export async function runUnits<Unit, Result, Known = undefined>(
  units: readonly Unit[],
  inside: Context,
  run: Run<Unit, Result, Known>,
  prepare?: Prepare<Unit, Known>,
): Promise<Outcome<Result>[]> {
  const outcomes: Outcome<Result>[] = [];
  for (let count = units.length; outcomes.length < units.length;) {
    const next = units.slice(outcomes.length, outcomes.length + count);
    const [only] = next;
    if (only !== undefined && next.length === 1) {
      const outcome = await runAlone(only, inside, run);
      outcomes.push(outcome);
      if ('result' in outcome) count = 2;
      continue;
    }
    const together = await runTogether(next, inside, run, prepare);
    outcomes.push(...(together ?? []));
    count = together ? count * 2 : Math.ceil(next.length / 2);
  }
  return outcomes;
}

async function runAlone<Unit, Result, Known>(
  unit: Unit,
  inside: Context,
  run: Run<Unit, Result, Known>,
): Promise<Outcome<Result>> {
  await nextTick(); // requests run in between
  try {
    return { result: await inside.transaction((own) => run(unit, own), { savepoints: true }) };
  } catch (error) {
    if (isBusy(error)) throw error;
    return { error };
  }
}

/** @returns undefined where the database has refused something: then nothing is done */
async function runTogether<Unit, Result, Known>(
  units: readonly Unit[],
  inside: Context,
  run: Run<Unit, Result, Known>,
  prepare: Prepare<Unit, Known> | undefined,
): Promise<Outcome<Result>[] | undefined> {
  const work = async (savepoint: Context): Promise<Outcome<Result>[]> => {
    const { context, inserts } = deferInserts(savepoint);
    const known = await prepare?.(units, context);
    const outcomes: Outcome<Result>[] = [];
    for (const unit of units) {
      await nextTick();
      inserts.beginUnit();
      try {
        outcomes.push({ result: await run(unit, context, known) });
      } catch (error) {
        if (!asCoded(error) || isBusy(error) || !inserts.dropUnit()) throw error;
        outcomes.push({ error });
      }
    }
    await inserts.flush();
    return outcomes;
  };
  try {
    return await inside.transaction(work, { savepoints: true });
  } catch (error) {
    if (isBusy(error)) throw error;
    return undefined;
  }
}

/** Whether an error says that the service is busy, so that it would meet the next units as well. */
export function isBusy(error: unknown): boolean {
  const code = asCoded(error)?.extensions['code'];
  return code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
}
