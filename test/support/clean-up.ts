import { afterEach } from 'vitest';
import { cleanUp } from './processes.ts';

// For every test file: files that share a process load a module once, so its hooks would be those of the first file alone.
afterEach(cleanUp);
