declare global {
  /** The API token: the test sets it. */
  var token: string;
}

export const headers = { Authorization: `Bearer ${globalThis.token}` };
