import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives back what starting took: garbage, and the nursery that V8 made for it and would keep. It takes 80 ms, once, and
 * leaves 170 MB at rest instead of 203 (276, with a nursery that has no bound).
 */
export function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc'); // the one way that Node has to ask for it
  const collect = runInNewContext('gc') as Collect;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
