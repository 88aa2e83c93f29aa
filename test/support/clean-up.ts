import { afterEach } from 'vitest';
import { cleanUp } from './processes.ts';

// A setup file, because test files that share a process load a module once: its hooks would apply only to the first file.
afterEach(cleanUp);
