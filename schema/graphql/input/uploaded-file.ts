import type { Problem } from '../../problem-codes.ts';

/** A complete file of a multipart request. It is on disk until the request is answered. */
export class UploadedFile {
  readonly path: string;
  /** The reason why the file can't be used: it is missing, too long, or incomplete. */
  problem: Problem | undefined = ['invalid_file', 'Is missing in the form.'];

  constructor(path: string) {
    this.path = path;
  }
}
