import { Kontor, type KontorOptions } from '@kontor/sdk';

const { KONTOR = '', TOKEN = '' } = process.env;

export const baseUrl = KONTOR;
export const token = TOKEN;

export const connect = (options: Partial<KontorOptions> = {}): Kontor => new Kontor({ baseUrl, token, ...options });
