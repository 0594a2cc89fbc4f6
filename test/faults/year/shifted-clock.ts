import { readFileSync } from 'node:fs';

// A process that imports this has the machine's time and as many seconds more as a file says, which may change while it runs:
// Date alone, as a clock that is set changes nothing else that Kontor reads.

const file = process.env['SHIFTED_CLOCK'] ?? '';
const everyMs = 500;
let shiftMs = 0;

const look = (): void => {
  try {
    shiftMs = Number(readFileSync(file, 'utf8')) * 1000;
  } catch {
    // it is being written
  }
};
look();
setInterval(look, everyMs).unref();

const RealDate = Date;
const now = RealDate.now.bind(RealDate);
globalThis.Date = new Proxy(RealDate, {
  get: (target, name) => (name === 'now' ? () => now() + shiftMs : Reflect.get(target, name)),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now() + shiftMs] : given, newTarget),
  apply: () => new RealDate(now() + shiftMs).toString(),
});
