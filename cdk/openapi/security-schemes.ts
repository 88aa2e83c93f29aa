import { exampleTokenUrl } from '../../lib/operations/getOpenApi.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { descriptionOf } from '../config/scopes.ts';

export const securitySchemes = {
  oauth2: {
    type: 'oauth2',
    description:
      'Access tokens of the stage’s Amazon Cognito user pool: signed JWTs, validated according to RFC8725. Cache each until shortly before it expires. Without a scope, the token has all scopes of its client.',
    flows: {
      clientCredentials: {
        tokenUrl: exampleTokenUrl,
        scopes: Object.fromEntries(scopes.map(scope => [`${resourceServer}/${scope}`, descriptionOf(scope)])),
      },
    },
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The same access token, pasted (RFC 6750; validated according to RFC8725).',
  },
};
