/** The largest body of a request, in bytes. */
export const maxBodyBytes = 16_384;
