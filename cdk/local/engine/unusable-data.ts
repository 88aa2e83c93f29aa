/** What was kept of an earlier run cannot be used. What may be deleted then, and what is lost with it, the start says: it knows where. */
export class UnusableData extends Error {}
