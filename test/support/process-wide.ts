const values: Record<symbol, unknown> = globalThis as never;

/** Shared by all test files of a process, although commands load their modules again (run-command.ts). */
export const processWide = <T>(name: string, make: () => T): T => {
  const key = Symbol.for(`petstore.${name}`);
  values[key] ??= make();
  return values[key] as T;
};
