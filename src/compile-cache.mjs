import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Node loads this before the program (--import). It is JavaScript: for the first module in TypeScript that isn't in the cache, Node
// loads a compiler, whose 11 MB stay in memory. With all of them in it, a start takes two thirds of the CPU time. A folder that
// can't be written or made only means that nothing is kept.

// Who can write there could have the process run their code. So it is never a folder that other users can make, as in /tmp.
process.env['NODE_COMPILE_CACHE'] ||=
  process.env['CACHE_DIRECTORY'] ?? fileURLToPath(new URL('../node_modules/.cache/kontor', import.meta.url));

// Threads and child processes find it by the variable.
enableCompileCache();
