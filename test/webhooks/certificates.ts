import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private key and its certificate, in PEM. */
export interface Identity {
  key: string;
  cert: string;
}

export interface Openssl {
  /** @returns the authority's certificate, in PEM */
  authority(name: string): string;
  /** A certificate for a host, which the authority `ca` signs. It is good from a year on, until another. */
  leaf(name: string, host: string, options?: { from?: number; to?: number; by?: string }): Identity;
}

/** Makes certificates. Its own files are gone afterwards. */
export function withOpenssl<Result>(make: (openssl: Openssl) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-tls-'));
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const newKey = (name: string): string[] =>
    `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${name}.key -subj /CN=${name}`.split(' ');
  const sign = (name: string, signer: string[], { from = 2020, to = 2099, by = name } = {}): void => {
    const dates = ['-startdate', `${from}0101000000Z`, '-enddate', `${to}0101000000Z`];
    const files = ['-keyfile', `${by}.key`, '-in', `${name}.csr`, '-out', `${name}.pem`];
    openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', ...signer, ...dates, ...files);
  };
  const settings = 'database=index new_certs_dir=. default_md=sha256 policy=p rand_serial=yes copy_extensions=copy';
  const config = ['[ca]', 'default_ca=c', '[c]', ...settings.split(' '), 'unique_subject=no', '[p]', ''];
  try {
    writeFileSync(join(folder, 'ca.cnf'), config.join('\n'));
    writeFileSync(join(folder, 'index'), '');
    return make({
      authority: (name) => {
        openssl('req', '-new', ...newKey(name), '-out', `${name}.csr`, '-addext', 'basicConstraints=critical,CA:true');
        sign(name, ['-selfsign']);
        return read(`${name}.pem`);
      },
      leaf: (name, host, { from = 2020, to = 2099, by = 'ca' } = {}) => {
        const subject = `subjectAltName=${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`;
        openssl('req', '-new', ...newKey(name), '-out', `${name}.csr`, '-addext', subject);
        sign(name, by === name ? ['-selfsign'] : ['-cert', `${by}.pem`], { from, to, by });
        return { key: read(`${name}.key`), cert: read(`${name}.pem`) };
      },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
