import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface Process {
  parent: number;
  /** Ticks of its own, and of those it started that have ended. */
  own: number;
  ended: number;
}

/** Undefined when it has ended. */
function look(pid: number | string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}

/** Milliseconds of CPU time that a process has used, and those that it started. */
export function readCpu(pid: number): number {
  const process = look(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(look)
    .filter((each) => each?.parent === pid);
  const ticks = [process, ...children].reduce((sum, each) => sum + (each?.own ?? 0), process?.ended ?? 0);
  return (ticks * 1000) / ticksPerSecond;
}

/** The PostgreSQL whose backend this is. */
export const findParent = (pid: number): number => look(pid)?.parent ?? 0;
