import { localRegion } from '../engine/table.ts';
import { listen, loopback, receiveBody } from '../http-server.ts';
import { createAuthoriser } from './authorizer.ts';
import type { TokenKey } from './signing-key.ts';
import { createTokenEndpoint, tokenPath } from './token-endpoint.ts';
import { type Client, createIssuer } from './token-issuer.ts';

/** The issuer that Cognito would name; nothing is ever fetched from it. */
export const localIssuer = `https://cognito-idp.${localRegion}.amazonaws.com/${localRegion}_local`;

interface Surroundings {
  /** What signs the access tokens. */
  readonly key: TokenKey;
  /** Whether they are issued at an origin of their own, as Cognito's are. */
  readonly ownOrigin: boolean;
  readonly report: (error: unknown) => void;
}

/** Stands in for Cognito: issues access tokens to the template's clients, and checks them. */
export const startLocalTokens = async (clients: readonly Client[], { key, ownOrigin, report }: Surroundings) => {
  const answer = createTokenEndpoint(createIssuer(localIssuer, clients, key), key);
  const origin = ownOrigin
    ? await listen(
        async (request, response) => answer(request, (await receiveBody(request)).toString(), response),
        loopback,
        0,
        report,
      )
    : undefined;
  return {
    authorise: createAuthoriser(localIssuer, key.publicJwk),

    /** Where tokens are issued: a path alone where it is one of the server. */
    url: origin ? `http://${loopback}:${origin.port}${tokenPath}` : tokenPath,

    /** Answers at a path of the server; absent where tokens have an origin of their own. */
    answer: origin ? undefined : answer,

    stop: (): void => origin?.stop(),
  };
};
