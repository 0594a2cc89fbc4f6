/** 128 random bits, in hex. `crypto.randomUUID` exists on secure origins only, so not on plain HTTP in a local network. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
