/** The exit code of a server whose own code has changed: `npm run dev` starts it again. A process cannot replace itself. */
export const restartExitCode = 75;
