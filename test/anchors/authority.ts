import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate that signs time-stamps, by its name as a file. */
type Signer = 'tsa' | 'server' | 'past';

export type Respond = (response: ServerResponse, request: Buffer) => void | Promise<void>;

const settings = `
[tsa]
default_tsa = usual
[usual]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
[other]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha512
`;
const uses: Record<Signer, string> = {
  tsa: 'critical,timeStamping',
  server: 'critical,serverAuth',
  past: 'critical,timeStamping',
};

/** An authority that signs with OpenSSL, behind HTTP. */
export async function startAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-tsa-'));
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): string =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  writeFileSync(file('settings'), settings);
  writeFileSync(file('serial'), '01\n');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Authority', '-days', '30');
  for (const [name, use] of Object.entries(uses)) {
    const ofName = name === 'tsa' ? ['-newkey', 'rsa:2048', '-nodes'] : key;
    openssl('req', ...ofName, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(file(`${name}.ext`), `extendedKeyUsage=${use}\n`);
    const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`];
    const days = name === 'past' ? '-1' : '30';
    openssl('x509', '-req', '-in', `${name}.csr`, ...issuer, '-out', `${name}.pem`, '-days', days);
  }

  const signed = (name: Signer): string[] => ['-signer', `${name}.pem`, '-inkey', `${name}.key`];
  /** The answer to a request. */
  const stamp = (request: Uint8Array, section = 'usual'): Buffer => {
    writeFileSync(file('request'), request);
    const answer = ['-queryfile', 'request', '-out', 'answer', '-section', section];
    openssl('ts', '-reply', '-config', 'settings', ...answer, ...signed('tsa'));
    return readFileSync(file('answer'));
  };
  /** An answer with the same statement, signed by another certificate. */
  const signAgain = (answer: Uint8Array, name: Signer, ...options: string[]): Buffer => {
    writeFileSync(file('answer'), answer);
    openssl('ts', '-reply', '-config', 'settings', '-in', 'answer', '-token_out', '-out', 'token');
    openssl('cms', '-verify', '-noverify', '-inform', 'DER', '-in', 'token', '-out', 'stated');
    const type = ['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-nodetach', '-binary', '-outform', 'DER'];
    openssl('cms', '-sign', '-in', 'stated', ...type, ...signed(name), '-md', 'sha256', ...options, '-out', 'token');
    return sequence(granted, readFileSync(file('token')));
  };
  /** Whether OpenSSL accepts a token. @throws Error with its output */
  const accepts = (token: Uint8Array, content: string): string => {
    writeFileSync(file('token'), token);
    writeFileSync(file('content'), content);
    return openssl('ts', '-verify', '-data', 'content', '-in', 'token', '-token_in', '-CAfile', 'ca.pem');
  };

  let respond: Respond = (response, request) => reply(response, stamp(request));
  const requests: { headers: Record<string, unknown>; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    requests.push({ headers: request.headers, body });
    await respond(
      response.on('error', () => {}),
      body,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`,
    requests,
    stamp,
    signAgain,
    accepts,
    /** How it answers from now on; right without an argument. */
    answer: (next: Respond = (response, request) => reply(response, stamp(request))) => void (respond = next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}

export type Authority = Awaited<ReturnType<typeof startAuthority>>;

export const reply = (response: ServerResponse, answer: Uint8Array): void =>
  void response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(answer);

const granted = Buffer.from([0x30, 3, 2, 1, 0]);

function sequence(...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.from([0x30, 0x82, 0, 0]);
  head.writeUInt16BE(content.length, 2);
  return Buffer.concat([head, content]);
}
