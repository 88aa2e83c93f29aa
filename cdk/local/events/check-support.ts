// biome-ignore lint/suspicious/noExplicitAny: the properties of any resource
export type Properties = any;

/** @param what a part of the template @throws always */
export const rejectUnsupported = (what: string): never => {
  throw new Error(`The local server does not support ${what}. Implement it in cdk/local/events.`);
};

/** @throws at a property that is not in the list */
export const checkSupport = (what: string, properties: Properties, supported: readonly string[]): void => {
  const unsupported = Object.keys(properties).filter(name => !supported.includes(name));
  if (unsupported.length > 0) rejectUnsupported(`${unsupported} of ${what}`);
};
