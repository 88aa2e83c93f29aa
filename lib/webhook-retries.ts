/** How long an event that a webhook does not accept is retried. */
export const retryHours = 24;
