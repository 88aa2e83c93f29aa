import type { Settings } from './settings.ts';

/** Characters; every absolute address in a header begins with it, and headers have a bound (test/api/response-headers.test.ts). */
const maxLength = 512;

const isPublicUrl = (url: string): boolean =>
  url.length <= maxLength &&
  /^https:\/\/[^/?#@\s]+(?:\/[^/?#\s]+)*$/.test(url) &&
  [url, `${url}/`].includes(URL.parse(url)?.href ?? '');

/** Where callers are told that the API is: before the stage, under its domain, or undefined, for the gateway's own address. */
export const publicUrlOf = ({ publicUrl, domain }: Settings): string | undefined =>
  publicUrl ?? (domain && `https://${domain.name}`);

/**
 * The environment variable by which functions know the address of what stands before the stage.
 * @throws when the setting is no address that another path can be appended to
 */
export const publicUrlEnvironment = (publicUrl: string | undefined): Record<string, string> => {
  if (publicUrl === undefined) return {};
  if (isPublicUrl(publicUrl)) return { PUBLIC_URL: publicUrl };
  throw new Error(
    `The setting publicUrl is "${publicUrl}". It must be an absolute https address as a browser writes it, without a slash at its end, a query or a fragment, of at most ${maxLength} characters: https://petstore.example.com/api`,
  );
};
