/** Of an idempotency key. */
export const keyLifetimeHours = 24;
