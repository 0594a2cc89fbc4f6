import { readFileSync } from 'node:fs';

/** The login of the demo tenant, as the first `npm start` reports it if standard output is no terminal. */
export interface FirstLogin {
  url: string;
  /** The path of the file with the secrets. */
  file: string;
  email: string;
  password: string;
  token: string;
}

/** Reads the login from the output of `npm start` and its file. Undefined until both exist. */
export function firstLogin(out: string): FirstLogin | undefined {
  const [, file, url] = /curl -s -K '([^']+)' '(http[^/]+\/\/[^/]+)/.exec(out) ?? [];
  if (file === undefined || url === undefined) return undefined;
  const text = readFileSync(file, 'utf8');
  const read = (name: string): string => new RegExp(`^# ${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  return { url, file, email: read('Login'), password: read('Password'), token: read('API token') };
}
