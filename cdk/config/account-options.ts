import * as z from 'zod';
import { like, validate } from './validate.ts';

/** Of all clients of an account and region, in 15 minutes. A program that caches its token requests four a day. */
export const defaultTokens = 90;

const part = '[\\w.-]+(?:@\\d+)?';

/** The options of the account stack on the command line, such as `-c logRole=keep`. Texts have no example that is a valid name. */
const Options = z.strictObject({
  /**
   * The repository, as GitHub's tokens name it: the part of a token's claim `sub` between `repo:` and `:environment`. If the
   * repository was created, renamed or transferred since 2026-07-15, this part contains ids
   * (docs.github.com/en/actions/reference/security/oidc, "Immutable subject claims"). Absent: no workflow gets a role.
   */
  repository: like(
    '<owner>/<repository>, or <owner>@<id>/<repository>@<id>',
    new RegExp(`^${part}/${part}$`),
  ).optional(),
  /** Receives the notifications of the budget, and the alarm on access tokens. */
  email: like('<name>@<domain>', /^[^\s@]+@[^\s@]+\.[^\s@]+$/).optional(),
  /** Dollars a month. Absent: there is no budget. */
  budget: like('100 (dollars a month)', /^[1-9]\d*$/)
    .transform(Number)
    .optional(),
  /** The alarm rings above so many access tokens in 15 minutes. */
  tokens: like('90 (in 15 minutes)', /^[1-9]\d*$/)
    .transform(Number)
    .default(defaultTokens),
  /** Absent: the stack creates it. */
  oidcProviderArn: like(
    'arn:aws:iam::<account>:oidc-provider/token.actions.githubusercontent.com',
    /^arn:aws[a-z-]*:iam::\d{12}:oidc-provider\/token\.actions\.githubusercontent\.com$/,
  ).optional(),
  /** API Gateway writes all logs of a region with this role. `create` sets a new one, `keep` keeps the current one. */
  logRole: z.enum(
    ['create', 'keep'],
    "create, or keep if 'aws apigateway get-account --query cloudwatchRoleArn' prints a role",
  ),
});

export const accountOptionNames: readonly string[] = Object.keys(Options.shape);

export type AccountOptions = z.infer<typeof Options>;

/** @throws with every option that is missing or invalid */
export const readAccountOptions = (contextOf: (name: string) => unknown): AccountOptions => {
  const given = accountOptionNames
    .map(name => [name, contextOf(name)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  const heading = 'The options of the account stack are invalid. Pass each as -c name=value:';
  return validate(
    Options,
    Object.fromEntries(given),
    heading,
    ({ email, budget, repository, oidcProviderArn }, report) => {
      // CloudFormation rejects a budget without a subscriber only during the deployment.
      if (budget !== undefined && email === undefined)
        report('email', 'an address, because there is a budget', email);
      if (oidcProviderArn !== undefined && repository === undefined)
        report('repository', 'the one that the provider is for', repository);
    },
  );
};
