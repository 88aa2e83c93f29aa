import * as z from 'zod';
import { like, validate } from './validate.ts';

const part = '[\\w.-]+(?:@\\d+)?';

/** What the account's stack is given on the command line: `-c repository=… -c email=… -c budget=…`. */
const AccountOptions = z.strictObject({
  /** As GitHub says it in a token's subject, between `repo:` and `:environment`; since June 2026 with ids. */
  repository: like('acme/petstore, or acme@1234/petstore@5678', new RegExp(`^${part}/${part}$`)),
  /** Who is told of the budget. */
  email: like('oncall@example.com', /^[^\s@]+@[^\s@]+\.[^\s@]+$/),
  /** Dollars a month. */
  budget: like('100 (dollars a month)', /^[1-9]\d*$/).transform(Number),
  /** The account's provider for GitHub's tokens; absent: the stack makes it. */
  oidcProviderArn: like(
    'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com',
    /^arn:aws[a-z-]*:iam::\d{12}:oidc-provider\/token\.actions\.githubusercontent\.com$/,
  ).optional(),
  /** API Gateway has a role for its logs that somebody else keeps. */
  keepLogRole: z
    .enum(['true', 'false'])
    .default('false')
    .transform(text => text === 'true'),
});
export type AccountOptions = z.infer<typeof AccountOptions>;

/** @param contextOf what a name has on the command line. @throws with every option that is missing or invalid */
export const readAccountOptions = (contextOf: (name: string) => unknown): AccountOptions => {
  const given = Object.keys(AccountOptions.shape)
    .map(name => [name, contextOf(name)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  const heading = "The options of the account's stack are invalid; say each with -c name=value:";
  return validate(AccountOptions, Object.fromEntries(given), heading);
};
