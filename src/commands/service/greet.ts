import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Demo } from '../../demo/demo-data.ts';
import { print } from '../output.ts';

/**
 * Prints the message of `start` once the service answers. The demo tenant's password and token are printed only on a
 * terminal, because redirected output may be a log that others can read. Otherwise they are written to a file of the data
 * folder.
 */
export async function greet(url: string, demo: Demo | undefined, dataDir: string): Promise<void> {
  const { isTTY } = process.stdout;
  const file = demo && !isTTY ? await writeLogin(dataDir, demo) : undefined;
  print('');
  print('Kontor is running.');
  print('');
  print(`  Dashboard  ${url}/`);
  print(`  Guides     ${url}/docs/quick-start`);
  print(`  REST       ${url}/api/v1`);
  print(`  GraphQL    ${url}/graphql`);
  print(`  Health     ${url}/health/ready`);
  print('');
  if (!demo) {
    print('For a new API token: npm run -s kontor -- tenant list, then npm run -s kontor -- token create --tenant ID');
  } else if (file === undefined) {
    printLogin(demo);
    printFirstRequest(`-H 'Authorization: Bearer ${demo.token}'`, url);
  } else {
    print('A demo tenant was created. Its password and API token are in a file that only your user can read,');
    print('because the output is no terminal. Store them elsewhere, and delete the file.');
    print('');
    print(`  Login      ${demo.email}`);
    print(`  File       ${file}`);
    printFirstRequest(`-K '${file.replaceAll("'", String.raw`'\''`)}'`, url);
  }
  print('');
  print('Ctrl-C stops everything.');
  print('');
}

function printLogin({ email, password, token }: Demo): void {
  print('A demo tenant was created. Its login is shown only once:');
  print('');
  print(`  Login      ${email}`);
  print(`  Password   ${password}`);
  print(`  API token  ${token}`);
}

function printFirstRequest(authorization: string, url: string): void {
  print('');
  print('A first request:');
  print('');
  print(`  curl -s ${authorization} '${url}/api/v1/invoices?status=issued'`);
}

/**
 * Writes the login for this user alone. The file is one that `curl -K` reads, so that no token stands on a command line.
 *
 * @returns its path
 */
async function writeLogin(dataDir: string, { email, password, token }: Demo): Promise<string> {
  const file = join(dataDir, 'demo-login');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await rm(file, { force: true }); // an existing file may be readable for others
  const lines = [
    '# The demo tenant of Kontor. For curl: curl -K FILE ADDRESS',
    `# Login      ${email}`,
    `# Password   ${password}`,
    `# API token  ${token}`,
    `header = "Authorization: Bearer ${token}"`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}
