import { url } from 'node:inspector';

/** Whether a debugger may be looking: then nothing is timed out, since whoever reads at a breakpoint needs longer than Lambda grants. */
export const isDebugged = (): boolean => url() !== undefined;
