/** A fetch that reports its upload progress, from 0 to 1, which fetch() itself can't, and that `stop` ends. */
export const uploadingFetch =
  (onProgress: (sent: number) => void, stop?: AbortSignal): typeof fetch =>
  (url, { method = 'POST', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url instanceof Request ? url.url : url);
      new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value));
      // CSRF protection: the server requires a header for uploads that a form of another site can't send.
      request.setRequestHeader('GraphQL-Require-Preflight', '1');
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total ? loaded / total : 0));
      request.addEventListener('load', () => {
        const type = request.getResponseHeader('Content-Type') ?? '';
        resolve(new Response(request.responseText, { status: request.status, headers: { 'Content-Type': type } }));
      });
      request.addEventListener('error', () => reject(new TypeError('The upload was interrupted.')));
      request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')));
      for (const each of [signal, stop]) each?.addEventListener('abort', () => request.abort());
      request.send(body as XMLHttpRequestBodyInit);
    });
