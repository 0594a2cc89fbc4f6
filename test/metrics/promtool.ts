import { spawnSync } from 'node:child_process';

/** Set where the tests with Prometheus's own tool must not be left out: `.ci/run`. */
const requirePromtool = process.env['REQUIRE_PROMTOOL'] === '1';

const isInstalled = (): boolean => spawnSync('promtool', ['--version']).status === 0;

/** Whether there is nothing to test with, and nobody minds. */
export const noPromtool = !isInstalled() && !requirePromtool;

export interface Verdict {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs promtool, which reads rules and metrics as Prometheus does. */
export function promtool(args: string[], input = ''): Verdict {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (error) throw error;
  return { status, stdout, stderr };
}
