#!/usr/bin/env node
import * as module from 'node:module';

// Newer versions of Node keep compiled code: the next start is faster.
module.enableCompileCache?.();
await import('./kontor.js');
