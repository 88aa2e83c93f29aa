import { localRegion } from '../engine/table.ts';
import { listen, loopback, receiveBody } from '../http-server.ts';
import { createAuthorizer } from './authorizer.ts';
import type { SigningKey } from './signing-key.ts';
import { createTokenEndpoint, tokenPath } from './token-endpoint.ts';
import { type AppClient, createTokenIssuer } from './token-issuer.ts';

/** In the format of a Cognito issuer. Nothing is fetched from it. */
export const localIssuer = `https://cognito-idp.${localRegion}.amazonaws.com/${localRegion}_local`;

interface LocalAuthOptions {
  readonly key: SigningKey;
  /** Whether the token endpoint has its own origin, as Cognito's has. */
  readonly ownOrigin: boolean;
  readonly report: (error: unknown) => void;
}

/** Emulates Cognito: issues access tokens to the template's clients, and verifies them. */
export const startLocalAuth = async (clients: readonly AppClient[], { key, ownOrigin, report }: LocalAuthOptions) => {
  const handle = createTokenEndpoint(createTokenIssuer(localIssuer, clients, key), key);
  const origin = ownOrigin
    ? await listen(
        async (request, response) => handle(request, (await receiveBody(request)).toString(), response),
        loopback,
        0,
        report,
      )
    : undefined;
  return {
    authorize: createAuthorizer(localIssuer, key.publicJwk),

    /** Of the token endpoint: a path of the server, or a URL if it has its own origin. */
    url: origin ? `http://${loopback}:${origin.port}${tokenPath}` : tokenPath,

    /** Handles requests to the server; absent if the token endpoint has its own origin. */
    handle: origin ? undefined : handle,

    stop: (): void => origin?.stop(),
  };
};
