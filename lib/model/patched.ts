/** JSON merge patch (RFC 7396): `null` removes a field. The schema of the patch decides which fields can be removed. */
export const patched = <R extends object>(resource: R, patch: object): R =>
  Object.fromEntries(
    Object.entries({ ...resource, ...patch }).filter(([, value]) => value !== null),
  ) as R;
