import { hash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageUnavailableError } from '../../schema/errors/errors.ts';
import { FileTooLongError, isFileKey, type FileStorage } from '../../schema/graphql/file-storage.ts';
import { createFolderStorage } from '../../src/storage/folder-storage.ts';
import { createS3Storage } from '../../src/storage/s3-storage.ts';
import { noS3Server, startS3Server, type S3Server } from './s3-server.ts';

async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breakingOff(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('The client went away');
}

const newKey = (): string => `${randomUUID()}/attachments/${randomUUID()}`;

async function readWhole(storage: FileStorage, key: string): Promise<Buffer | undefined> {
  const file = await storage.read(key);
  if (!file) return undefined;
  const bytes = await buffer(file.content);
  expect(bytes).toHaveLength(file.length);
  return bytes;
}

/** The tests of each kind of storage. */
function keepsFiles(open: () => FileStorage): void {
  it.each([0, 1, 65_537, 6_000_000])('keeps a file of %i bytes, and tells its length and hash', async (length) => {
    const [storage, key, bytes] = [open(), newKey(), randomBytes(length)];
    const written = await storage.write(key, inPieces(bytes), length);
    expect(written).toEqual({ length, sha256: hash('sha256', bytes, 'buffer') });
    expect((await readWhole(storage, key))?.equals(bytes)).toBe(true);
  });

  it('keeps nothing of a file that is too long, or breaks off', async () => {
    const [storage, key] = [open(), newKey()];
    await expect(storage.write(key, inPieces(randomBytes(100), 10), 99)).rejects.toThrow(FileTooLongError);
    expect(await storage.read(key)).toBeUndefined();
    await expect(storage.write(key, breakingOff(randomBytes(100)), 1000)).rejects.toThrow('The client went away');
    expect(await storage.read(key)).toBeUndefined();
  });

  it('deletes a file, also one that is not there', async () => {
    const [storage, key] = [open(), newKey()];
    await storage.write(key, inPieces(randomBytes(10)), 10);
    await storage.delete(key);
    await storage.delete(key);
    expect(await storage.read(key)).toBeUndefined();
  });

  it('keeps many files that are written at once apart', async () => {
    const storage = open();
    const files = Array.from({ length: 20 }, () => ({ key: newKey(), bytes: randomBytes(100_000) }));
    await Promise.all(files.map(({ key, bytes }) => storage.write(key, inPieces(bytes, 1000), 100_000)));
    for (const { key, bytes } of files) expect((await readWhole(storage, key))?.equals(bytes)).toBe(true);
  });

  it.each(['', '/', '../secret', 'a/../../b', '/etc/passwd', 'a//b', 'a/.', 'a/.hidden', 'A', 'a\0', 'a\\b', 'a/'])(
    'takes no key such as %j',
    async (key) => {
      expect(isFileKey(key)).toBe(false);
      await expect(open().write(key, inPieces(randomBytes(1)), 1)).rejects.toThrow('is no key');
      await expect(open().read(key)).rejects.toThrow('is no key');
      await expect(open().delete(key)).rejects.toThrow('is no key');
    },
  );
}

describe('a folder', () => {
  let folder: string;
  let storage: FileStorage;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-files-'));
    storage = createFolderStorage(join(folder, 'files'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  keepsFiles(() => storage);

  it('leaves nothing of a file that breaks off, and lets only its user read the others', async () => {
    const key = newKey();
    await expect(storage.write(key, breakingOff(randomBytes(100)), 1000)).rejects.toThrow('The client went away');
    const path = join(folder, 'files', key);
    expect(await readdir(join(path, '..'))).toEqual([]);
    await storage.write(key, inPieces(randomBytes(10)), 10);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  });

  it('deletes what a killed process has left of a file', async () => {
    const path = join(folder, 'files', 'tenant');
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'half.part'), 'half');
    await storage.delete('tenant/half');
    expect(await readdir(path)).toEqual([]);
  });

  it('says when it can not be written to', async () => {
    await writeFile(join(folder, 'no-folder'), '');
    const broken = createFolderStorage(join(folder, 'no-folder'));
    await expect(broken.write('a/b', inPieces(randomBytes(10)), 10)).rejects.toThrow(StorageUnavailableError);
    await expect(broken.read('a/b')).rejects.toThrow(StorageUnavailableError);
  });

  it('says when the disk is full', async () => {
    const full = createFolderStorage(join(folder, 'full'));
    await mkdir(join(folder, 'full', 'a'), { recursive: true });
    await symlink('/dev/full', join(folder, 'full', 'a', 'b.part'));
    await expect(full.write('a/b', inPieces(randomBytes(10)), 10)).rejects.toThrow(/ENOSPC/);
    expect(await full.read('a/b')).toBeUndefined();
  });
});

describe.skipIf(noS3Server)('S3', () => {
  let server: S3Server;
  let storage: FileStorage;
  beforeAll(async () => {
    server = await startS3Server();
    storage = createS3Storage(server.settings);
  });
  afterAll(() => server.stop());

  keepsFiles(() => storage);

  it('keeps its files below its prefix', async () => {
    const bytes = randomBytes(10);
    await storage.write('tenant/file', inPieces(bytes), 10);
    const whole = createS3Storage({ ...server.settings, prefix: '' });
    expect((await readWhole(whole, 'of/kontor/tenant/file'))?.equals(bytes)).toBe(true);
  });

  it('is read while many files wait for their readers', async () => {
    const bytes = randomBytes(2 ** 20);
    await storage.write('tenant/file', inPieces(bytes), bytes.length);
    const unread = await Promise.all(Array.from({ length: 100 }, () => storage.read('tenant/file')));
    expect((await readWhole(storage, 'tenant/file'))?.equals(bytes)).toBe(true);
    for (const file of unread) file?.content.destroy();
  });

  it.each([
    ['another key', { credentials: { keyId: 'another', secretKey: 'S3RVER' } }],
    ['a bucket that is not there', { bucket: 'another' }],
    ['a server that is not there', { endpoint: 'http://127.0.0.1:9' }],
  ])('says when it can not be used: %s', async (_, settings) => {
    const broken = createS3Storage({ ...server.settings, ...settings });
    await expect(broken.write('a/b', inPieces(randomBytes(10)), 10)).rejects.toThrow(StorageUnavailableError);
    await expect(broken.read('a/b')).rejects.toThrow(StorageUnavailableError);
  });
});
