const etags = new WeakMap<object, string>();

/**
 * The version of a resource that a request returned. As `ifMatch` it protects an update from overwriting others' changes.
 * A copy of the resource has none.
 */
export const etagOf = (resource: object): string | undefined => etags.get(resource);

/** Remembers the ETag of a response's resource, beside it, so that the resource is as REST returns it. */
export function rememberEtag(body: unknown, etag: string | null): void {
  if (etag === null || typeof body !== 'object' || body === null || !('data' in body)) return;
  if (typeof body.data === 'object' && body.data !== null) etags.set(body.data, etag);
}
