/** The exit code by which the server asks to be started again, its own code having changed: a process cannot do that to itself. */
export const again = 75;
