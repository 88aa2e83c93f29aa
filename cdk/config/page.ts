// The documentation page, and its files, which are a thousand times as large as other responses.

export const limits = {
  getDocs: { rate: 1, burst: 10, timeout: 2 },
  getDocsFile: { rate: 0.5, burst: 40, timeout: 2 },
};

export const permissions = {
  getDocs: { table: [], tokenUrl: true },
  getDocsFile: { table: [] },
} as const;

/** Bytes. */
export const largestResponses = { 'GET /docs': 55_000, 'GET /docs/{file}': 1_750_000 };

export const outputs = (url: string) => ({
  DocsUrl: [`${url}docs`, 'The page to read and try the API'] as const,
});
