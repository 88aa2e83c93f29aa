/** Of a request. */
export const maxBodyBytes = 16_384;
