/** 128 random bits, in hex. Browsers have `crypto.randomUUID` on secure origins only: not on plain http in a network. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
