import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** The folder for compiled modules. One that another user created couldn't be written, and Node doesn't report that. */
export const compileCache = join(tmpdir(), `kontor-compile-cache-${userInfo().uid}`);
