/** The hours for which an idempotency key is valid. */
export const keyLifetimeHours = 24;
