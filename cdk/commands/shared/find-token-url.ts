interface Document {
  readonly components?: {
    readonly securitySchemes?: Record<string, { flows?: { clientCredentials?: { tokenUrl?: string } } }>;
  };
}

/** The token endpoint in the OpenAPI document of an API. @throws when the document has none */
export const findTokenUrl = async (base: string): Promise<string> => {
  const response = await fetch(`${base}/openapi.json`);
  const { components } = ((await response.json().catch(() => ({}))) ?? {}) as Document;
  const tokenUrl = components?.securitySchemes?.oauth2?.flows?.clientCredentials?.tokenUrl;
  const found = tokenUrl && URL.parse(tokenUrl, `${base}/`);
  // The committed document has example.com, which a stage without a token endpoint serves.
  if (found && !found.hostname.endsWith('.example.com')) return found.href;
  throw new Error(
    `${base}/openapi.json has no token endpoint. Name it with --token-url, or set tokenUrl for the stage.`,
  );
};
