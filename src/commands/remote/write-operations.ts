import { renameSync, writeFileSync } from 'node:fs';
import { deriveOperations } from './build-operations.ts';
import { operationsFile, serializeOperations } from './operations.ts';

// Part of `npm run build`. A command that starts meanwhile reads the whole file, the old one or the new one.

const temporary = new URL(`operations.json.${process.pid}`, operationsFile);
writeFileSync(temporary, serializeOperations(deriveOperations()));
renameSync(temporary, operationsFile);
