import busboy from 'busboy';
import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TransportError } from '../../../rest-shim/request-body.ts';
import type { Problem } from '../../../schema/errors/problem-codes.ts';
import { makeTemporaryFolder } from '../../../schema/graphql/input/temporary-folder.ts';
import { UploadedFile } from '../../../schema/graphql/input/uploaded-file.ts';

/** The longest file that can be uploaded. */
export const maxUpload = 64 * 1024 * 1024;
const tooLarge: Problem = ['file_too_large', 'Must be at most 64 MiB.', { max: maxUpload }];
const brokeOff = (reason: string): Problem => ['invalid_file', `Did not arrive whole: ${reason}.`];
/** The longest field beside it. */
const maxField = 1_000_000;
/** The longest form: a file, and the fields beside it. */
const maxForm = maxUpload + 4 * 1024 * 1024;

/** Whether a Content-Type is multipart/form-data. */
export const isForm = (contentType: string | null | undefined): boolean =>
  contentType?.startsWith('multipart/form-data') ?? false;

/** A form that has arrived. */
export interface Form {
  /** The operation, with an UploadedFile wherever the map says. */
  params: Record<string, unknown>;
  /** SHA-256 of its parts: of the body as sent, browsers choose another boundary each time. */
  hash: Uint8Array<ArrayBuffer>;
  /** Bytes of the file; 0 without one. */
  size: number;
  /** Deletes its file. */
  discard: () => Promise<void>;
}

/**
 * Receives a form of the GraphQL multipart request specification, with at most one file. The file is written to disk, into a
 * folder that only this process's user can enter. An error of the file alone is in UploadedFile's `problem`.
 * @throws TransportError where the form can't be read, is too long or broke off
 */
export async function receiveForm(request: IncomingMessage): Promise<Form> {
  const folder = await makeTemporaryFolder();
  try {
    const file = new UploadedFile(join(folder.path, 'file'));
    const hash = createHash('sha256');
    const fields = new FormFields(file, hash);
    const parser = createParser(request, fields);
    try {
      await pipeline(
        readBody(request, () => fields.isFileTooLong),
        parser,
      );
    } catch (error) {
      fields.broke(request, error);
    }
    await fields.stored;
    const { size } = (await stat(file.path).catch(() => undefined)) ?? { size: 0 };
    return { params: fields.params(), hash: new Uint8Array(hash.digest()), size, discard: folder.discard };
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    request.resume(); // reads the rest of the body: browsers ignore a response before they have sent all of it
  }
}

function createParser({ headers }: IncomingMessage, fields: FormFields): busboy.Busboy {
  const limits = { fieldSize: maxField, fields: 2, fileSize: maxUpload + 1, files: 1 };
  let parser: busboy.Busboy;
  try {
    parser = busboy({ headers, defParamCharset: 'utf8', limits });
  } catch (error) {
    throw new TransportError(400, `The form can't be read: ${(error as Error).message}.`);
  }
  // A thrown error would not reach the pipeline.
  const refusing = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      parser.destroy(error as Error);
    }
  };
  return parser
    .on('field', (name, value, { valueTruncated }) => refusing(() => fields.field(name, value, valueTruncated)))
    .on('file', (name, content) =>
      refusing(() => {
        content.on('error', () => {}); // the parser reports the same error
        fields.file(name, content);
      }),
    );
}

async function* readBody(request: IncomingMessage, isEnough: () => boolean): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxForm) throw new TransportError(413, `The form must not be longer than ${maxForm} bytes.`);
    yield chunk;
    if (isEnough()) return;
  }
}

/** The parts of a form, in the order that the specification prescribes: operations, map, file. */
class FormFields {
  /** Settles when the file is on disk. */
  stored: Promise<void> | undefined;
  isFileTooLong = false;
  readonly #file: UploadedFile;
  readonly #hash: Hash;
  #operations: Record<string, unknown> | undefined;
  #map: Record<string, string[]> | undefined;

  constructor(file: UploadedFile, hash: Hash) {
    this.#file = file;
    this.#hash = hash;
  }

  field(name: string, value: string, isCut: boolean): void {
    if (isCut) throw new TransportError(413, `The form's field ${name} must not be longer than ${maxField} bytes.`);
    this.#hash.update(JSON.stringify([name, value]));
    if (name === 'operations') this.#operations = parseObject(value, name);
    if (name !== 'map') return;
    if (!this.#operations) throw new TransportError(400, "The form's map must come after its operations.");
    const map = parseObject(value, name);
    const entries = Object.entries(map);
    if (entries.length > 1) throw new TransportError(413, 'A form can have 1 file at most (1 max).');
    for (const [, paths] of entries) {
      if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
        throw new TransportError(400, "The form's map must have lists of paths.");
      for (const path of paths) putFile(this.#operations, path, this.#file);
    }
    this.#map = map as Record<string, string[]>;
  }

  file(name: string, content: Readable): void {
    if (!this.#map) throw new TransportError(400, "The form's file must come after its operations and its map.");
    if (!Object.hasOwn(this.#map, name) || this.stored) return void content.resume();
    const file = this.#file;
    this.#hash.update(JSON.stringify([name]));
    content.on('data', (chunk: Buffer) => this.#hash.update(chunk));
    content.once('limit', () => {
      this.isFileTooLong = true;
    });
    this.stored = pipeline(content, createWriteStream(file.path, { flags: 'wx', mode: 0o600 })).then(
      () => void (file.problem = this.isFileTooLong ? tooLarge : undefined),
      (error: NodeJS.ErrnoException) => {
        if (error.code?.startsWith('E') && error.syscall) throw error; // the disk's fault
        file.problem = this.isFileTooLong ? tooLarge : brokeOff(error.message);
      },
    );
    this.stored.catch(() => {}); // is awaited later
  }

  /** @throws unless only the file is affected */
  broke(request: IncomingMessage, error: unknown): void {
    if (this.isFileTooLong && !(error instanceof TransportError)) return;
    if (!request.complete && request.destroyed) throw new TransportError(400, 'The body broke off.');
    if (error instanceof TransportError) throw error;
    const { message } = error as Error;
    if (!this.stored) throw new TransportError(400, `The form can't be read: ${message}.`);
    this.#file.problem = brokeOff(message);
  }

  params(): Record<string, unknown> {
    if (!this.#operations) throw new TransportError(400, "The form's field operations is missing.");
    if (!this.#map) throw new TransportError(400, "The form's field map is missing.");
    return this.#operations;
  }
}

function parseObject(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TransportError(400, `The form's field ${name} is no JSON.`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TransportError(400, `The form's field ${name} must be a JSON object.`);
}

/** Puts the file at a path of the map: `variables.file`. */
function putFile(operations: Record<string, unknown>, path: string, file: UploadedFile): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let parent: unknown = operations;
  for (const name of names) parent = isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  const isList = Array.isArray(parent) && !Object.hasOwn(parent, last);
  if (!isObject(parent) || isList || names[0] !== 'variables' || last === '__proto__')
    throw new TransportError(
      400,
      `The form's map has a path that leads nowhere: ${JSON.stringify(path.slice(0, 80))}.`,
    );
  parent[last] = file;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
