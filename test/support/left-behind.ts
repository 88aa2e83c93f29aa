import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isProcessWide, startProcessWide } from './process-wide.ts';

/** By the type of Node's async hooks. */
const names: Readonly<Record<string, string>> = {
  TCPSERVERWRAP: 'an open server',
  PIPESERVERWRAP: 'an open server',
  UDPWRAP: 'an open socket',
  Timeout: 'a running timer',
  WORKER: 'a worker thread',
  PROCESSWRAP: 'a child process',
  FSEVENTWRAP: 'a file watcher',
  STATWATCHER: 'a file watcher',
};

/** A function that returns what a test file has started and not ended, without what is process-wide. */
const watchResources = () => {
  const isOpen = new Map<
    number,
    { name: string; stack: string[]; handle: WeakRef<{ hasRef?(): boolean }> }
  >();
  const hook = createHook({
    init: (id, type, _, handle) => {
      const name = names[type];
      if (!name || isProcessWide()) return;
      const stack = new Error()
        .stack!.split('\n')
        .slice(2)
        .filter(line => !line.includes('node:'));
      const isOfVitest = stack.length > 0 && stack.every(line => line.includes('/vitest/dist/'));
      if (!isOfVitest) isOpen.set(id, { name, stack, handle: new WeakRef(handle) });
    },
    destroy: id => void isOpen.delete(id),
    trackPromises: false,
  }).enable();
  const open = () =>
    [...isOpen.values()]
      .filter(({ handle }) => handle.deref()?.hasRef?.() ?? handle.deref() !== undefined)
      .map(({ name, stack }) => [name, ...stack.slice(0, 3)].join('\n'));
  return async (): Promise<string[]> => {
    // What was stopped needs a moment to end.
    for (let attempts = 0; attempts < 200 && open().length > 0; attempts++)
      await startProcessWide(() => sleep(50));
    hook.disable();
    return open();
  };
};

type Values = Readonly<Record<string, unknown>>;
interface Place {
  readonly read: () => Values;
  readonly restore: (name: string, value: unknown) => unknown;
}

/** Their listeners run after all files. Each load of cdk/files/temp-folder.ts adds some. */
const atTheEnd = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];

const listenersOf = (event: string) => process.listeners(event as 'exit') as (() => void)[];

/** What code can change in a process. Packages add globals once, when they are loaded. */
const places: Readonly<Record<string, Place>> = {
  'process.env.': {
    read: () => ({ ...process.env }),
    restore: (name, value) =>
      value === undefined
        ? delete process.env[name]
        : Object.assign(process.env, { [name]: value }),
  },
  'globalThis.': {
    read: () => {
      const all = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
      return Object.fromEntries(all.filter(([name]) => !/^(__|awslambda$)/.test(name)));
    },
    restore: (name, value) =>
      value
        ? Object.defineProperty(globalThis, name, value)
        : Reflect.deleteProperty(globalThis, name),
  },
  'listeners of process.': {
    read: () => {
      const events = process
        .eventNames()
        .filter(event => typeof event === 'string' && !atTheEnd.includes(event)) as string[];
      return Object.fromEntries(events.map(event => [event, listenersOf(event)]));
    },
    restore: (event, before) => {
      for (const listener of listenersOf(event))
        if (!(before as unknown[] | undefined)?.includes(listener)) process.off(event, listener);
    },
  },
  'process.': {
    read: () => ({ argv: [...process.argv], exitCode: process.exitCode, cwd: process.cwd() }),
    restore: (name, value) =>
      name === 'cwd' ? process.chdir(value as string) : Object.assign(process, { [name]: value }),
  },
};

/** Restores a place. @returns what was changed */
const changesOf = (prefix: string, { read, restore }: Place, before: Values): string[] => {
  const after = read();
  const changed = Object.keys({ ...before, ...after }).filter(
    name => !isDeepStrictEqual(before[name], after[name]),
  );
  for (const name of changed) restore(name, before[name]);
  return changed.map(name => prefix + name);
};

/** A function that returns what a test file leaves behind for the next file of the process, and restores what it can. */
export const watchFile = () => {
  const openResources = watchResources();
  const before = Object.entries(places).map(
    ([prefix, place]) => [prefix, place, place.read()] as const,
  );
  return async (): Promise<string[]> => [
    ...before.flatMap(place => changesOf(...place)),
    ...(await openResources()),
  ];
};
