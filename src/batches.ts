import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';

/** How long a question may keep the next one waiting: one that hangs, on a dead connection say, holds up itself alone. */
const patienceMs = 20;

/**
 * Asks what many requests want to know with one question: what is wanted while one is under way is asked for with the
 * next. Nothing is kept, so every answer is younger than its request.
 * @param ask answers in the order of the keys
 */
export function inBatches<Key, Value>(ask: (keys: readonly Key[]) => Promise<Value[]>): (key: Key) => Promise<Value> {
  let answered: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Key, Value>(
    (keys) => {
      const asking = ask(keys);
      answered = Promise.race([asking.catch(() => {}), sleep(patienceMs, undefined, { ref: false })]);
      return asking;
    },
    { cache: false, batchScheduleFn: (dispatch) => void answered.then(dispatch) },
  );
  return (key) => loader.load(key);
}
