/**
 * The resource after a JSON merge patch (RFC 7396). `null` removes a field. A field that the patch lacks stays.
 * @param patch the patch after its schema parsed it; the schema decides which fields can be removed
 */
export const patched = <R extends object>(resource: R, patch: object): R =>
  Object.fromEntries(Object.entries({ ...resource, ...patch }).filter(([, value]) => value !== null)) as R;
