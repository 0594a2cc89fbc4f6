import { readFileSync } from 'node:fs';

/** How to get into the demo tenant, as the first `npm start` tells it where standard output is no terminal. */
export interface FirstLogin {
  url: string;
  /** Where the secrets are. */
  file: string;
  email: string;
  password: string;
  token: string;
}

/** What `npm start` printed and wrote so far; undefined until it has. */
export function firstLogin(out: string): FirstLogin | undefined {
  const [, file, url] = /curl -s -K '([^']+)' '(http[^/]+\/\/[^/]+)/.exec(out) ?? [];
  if (file === undefined || url === undefined) return undefined;
  const text = readFileSync(file, 'utf8');
  const read = (name: string): string => new RegExp(`^# ${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  return { url, file, email: read('Login'), password: read('Password'), token: read('API token') };
}
