const values: Record<symbol, unknown> = globalThis as never;

/** A value that all test files of a process share, even after `vi.resetModules`. */
export const processWide = <T>(name: string, make: () => T): T => {
  const key = Symbol.for(`petstore.${name}`);
  values[key] ??= make();
  return values[key] as T;
};
