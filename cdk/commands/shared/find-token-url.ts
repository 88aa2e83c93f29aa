interface Document {
  readonly components?: {
    readonly securitySchemes?: Record<string, { flows?: { clientCredentials?: { tokenUrl?: string } } }>;
  };
}

/** Where the document that a stage serves says that tokens are issued. @throws when it does not say */
export const findTokenUrl = async (base: string): Promise<string> => {
  const response = await fetch(`${base}/openapi.json`);
  const { components } = ((await response.json().catch(() => ({}))) ?? {}) as Document;
  const tokenUrl = components?.securitySchemes?.oauth2?.flows?.clientCredentials?.tokenUrl;
  const found = tokenUrl && URL.parse(tokenUrl, `${base}/`);
  // What the committed document has where a stage does not know its pool's address.
  if (found && !found.hostname.endsWith('.example.com')) return found.href;
  throw new Error(`${base}/openapi.json does not say where tokens are issued: set the stage's tokenUrl`);
};
