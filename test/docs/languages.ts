import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Language {
  name: string;
  /** The guide's receiver, started with PORT and WEBHOOK_SECRET in its environment. */
  start: (port: number) => [program: string, ...args: string[]];
  /** The Debian package of its interpreter or compiler. */
  debian: string;
}

const file = (name: string): string => fileURLToPath(new URL(`../../src/pages/guides/verify/${name}`, import.meta.url));
const rack = fileURLToPath(new URL('rack.rb', import.meta.url));

/** The languages of the receivers in the webhook guide. */
export const languages: Language[] = [
  { name: 'Node', start: () => ['node', file('verify.js')], debian: 'nodejs' },
  { name: 'Python', start: () => ['python3', file('verify.py')], debian: 'python3' },
  { name: 'PHP', start: (port) => ['php', '-S', `127.0.0.1:${port}`, file('verify.php')], debian: 'php-cli' },
  { name: 'Ruby', start: () => ['ruby', rack, file('verify.rb')], debian: 'ruby' },
  { name: 'Go', start: () => ['go', 'run', file('verify.go')], debian: 'golang-go' },
];

export const isInstalled = ({ start }: Language): boolean =>
  spawnSync('sh', ['-c', `command -v ${start(0)[0]}`]).status === 0;
