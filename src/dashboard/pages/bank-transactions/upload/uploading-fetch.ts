/** A fetch that says how much of its body is sent, from 0 to 1: fetch() itself doesn't tell. */
export const uploadingFetch =
  (onProgress: (sent: number) => void): typeof fetch =>
  (url, { method = 'POST', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url instanceof Request ? url.url : url);
      new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value));
      // The door wants a header of uploads that no form of another site can send.
      request.setRequestHeader('GraphQL-Require-Preflight', '1');
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total ? loaded / total : 0));
      request.addEventListener('load', () => {
        const type = request.getResponseHeader('Content-Type') ?? '';
        resolve(new Response(request.responseText, { status: request.status, headers: { 'Content-Type': type } }));
      });
      request.addEventListener('error', () => reject(new TypeError('The upload was cut off.')));
      request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')));
      signal?.addEventListener('abort', () => request.abort());
      request.send(body as XMLHttpRequestBodyInit);
    });
