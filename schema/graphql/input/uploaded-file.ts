import type { FileIdentity } from '../file-storage.ts';
import type { Problem } from '../../errors/problem-codes.ts';

/** An uploaded file that was checked and stored before its request's transaction. */
export interface StoredUpload extends FileIdentity {
  /** The id of the row that it is for. */
  id: string;
  contentType: string;
}

/** A complete file of a multipart request. It is on disk until the request is answered. */
export class UploadedFile {
  readonly path: string;
  /** The reason why the file can't be used: it is missing, too long, or incomplete. */
  problem: Problem | undefined = ['invalid_file', 'Is missing in the form.'];

  /** Where it is in the storage already; undefined if it isn't. */
  stored: StoredUpload | undefined;

  constructor(path: string) {
    this.path = path;
  }
}
