import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Images that buildah builds without a daemon, and containers that need no engine, in a storage of their own.

/** The user and group of the image. */
export const userId = 1000;

const programs = ['buildah', 'debootstrap', 'unshare', 'setpriv'];
const isThere = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/** Why no image can be built here; undefined if one can. */
export const noImages = ((): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root';
  const missing = programs.filter((name) => !isThere(name));
  return missing.length === 0 ? undefined : `apt-get install ${missing.join(' ')}`;
})();

export interface ImageConfig {
  User: string;
  Env: string[];
  Cmd: string[];
  WorkingDir: string;
  Labels: Record<string, string>;
  Healthcheck: { Test: string[] };
}

/** The folders of this machine that an engine mounts into a container, by their places there. */
export type Mounts = Record<string, string>;

export class Buildah {
  readonly #folder: string;
  #containers = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Buildah> {
    return new Buildah(await mkdtemp(join(tmpdir(), 'kontor-images-')));
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** Needs nothing of the kernel. @returns its standard output @throws with its standard error if it fails */
  run(...args: string[]): string {
    const storage = ['--root', join(this.#folder, 'storage'), '--runroot', join(this.#folder, 'run')];
    return execFileSync('buildah', [...storage, '--storage-driver', 'vfs', ...args], {
      encoding: 'utf8',
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
      stdio: 'pipe',
      maxBuffer: 64 * 1024 * 1024,
    }).trim();
  }

  /** A plain Debian, which no registry of images is needed for. @returns its name */
  makeDebian(): string {
    const name = 'localhost/debian';
    const rootfs = join(this.#folder, 'rootfs');
    execFileSync('debootstrap', ['--variant=minbase', 'bookworm', rootfs], { stdio: 'pipe' });
    // As Debian's own image has it. A build that fails is made again from the start.
    writeFileSync(join(rootfs, 'etc/dpkg/dpkg.cfg.d/docker-apt-speedup'), 'force-unsafe-io\n');
    const container = this.run('from', 'scratch');
    this.run('add', '--quiet', container, rootfs, '/');
    this.run('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container);
    // Where this machine reaches the registry of packages by a proxy with a certificate of its own.
    const certificates = process.env['NODE_EXTRA_CA_CERTS'];
    if (certificates !== undefined) {
      this.run('add', '--quiet', container, certificates, '/etc/ssl/machine.pem');
      this.run('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/machine.pem', container);
    }
    this.run('commit', '--quiet', '--rm', container, name);
    return name;
  }

  build(context: string, base: string): { name: string; config: ImageConfig } {
    const name = 'localhost/kontor';
    // Health checks are only in Docker's format.
    this.run('bud', '--quiet', '--format', 'docker', '--build-arg', `BASE=${base}`, '--tag', name, context);
    const { Docker } = JSON.parse(this.run('inspect', '--type', 'image', name)) as { Docker: { config: ImageConfig } };
    return { name, config: Docker.config };
  }

  /** A new container of an image. @returns its name, and the folder of its files */
  makeContainer(image: string): { name: string; root: string } {
    this.#containers += 1;
    const name = this.run('from', '--name', `container-${this.#containers}`, image);
    return { name, root: this.run('mount', name) };
  }
}

// The mounts end with the process, as they are in a namespace of its own.
const script = `
root=$1; shift
mount --bind "$root" "$root"
for each in /proc /dev; do mount --rbind "$each" "$root$each"; done
while [ "$1" != -- ]; do mount --bind "$2" "$root$1"; shift 2; done
shift
mount -o remount,bind,ro "$root"
exec chroot --userspec=${userId}:${userId} --groups= "$root" setpriv --no-new-privs env -i -C "$@"`;

/**
 * Starts a command in a container's files as an engine does it that gives no rights: by the image's user, without capabilities,
 * with read-only files but for the mounts. The network is this machine's, and the process its own child.
 */
export function startInside(
  root: string,
  config: ImageConfig,
  command: string[],
  env: Record<string, string>,
  mounts: Mounts,
): ChildProcess {
  for (const place of Object.keys(mounts)) mkdirSync(join(root, place), { recursive: true });
  const settings = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const mounted = Object.entries(mounts).flat();
  const isolated = ['--mount', '--propagation', 'private', 'sh', '-ec', script, 'sh', root];
  return spawn('unshare', [...isolated, ...mounted, '--', config.WorkingDir, ...settings, ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
