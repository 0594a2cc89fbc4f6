/** A file of a multipart request, which has arrived and lies on disk until the request is answered. */
export class UploadedFile {
  readonly path: string;
  /** Why it can't be used: it is missing, too long, or didn't arrive whole. */
  fault: string | undefined = 'Is missing in the form.';

  constructor(path: string) {
    this.path = path;
  }
}
