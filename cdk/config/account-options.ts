import * as z from 'zod';
import { regionsWithoutBudgets } from './regions.ts';
import { like, validate } from './validate.ts';

const part = '[\\w.-]+(?:@\\d+)?';

/** What the account's stack is given on the command line: `-c repository=… -c email=… -c budget=…`. */
const Options = z.strictObject({
  /**
   * As GitHub writes it in the subject of a token, between `repo:` and `:environment`. It contains ids when the repository was
   * created, renamed or transferred since 2026-07-15 (docs.github.com/en/actions/reference/security/oidc, "Immutable subject
   * claims").
   */
  repository: like('acme/petstore, or acme@1234/petstore@5678', new RegExp(`^${part}/${part}$`)),
  /** Receives the notifications of the budget. */
  email: like('oncall@example.com', /^[^\s@]+@[^\s@]+\.[^\s@]+$/).optional(),
  /** Dollars a month; without it there is no budget. */
  budget: like('100 (dollars a month)', /^[1-9]\d*$/)
    .transform(Number)
    .optional(),
  /** The account's provider for GitHub's tokens; absent: the stack makes it. */
  oidcProviderArn: like(
    'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com',
    /^arn:aws[a-z-]*:iam::\d{12}:oidc-provider\/token\.actions\.githubusercontent\.com$/,
  ).optional(),
  /** Leaves API Gateway's existing role for logs unchanged. */
  keepLogRole: z
    .enum(['true', 'false'])
    .default('false')
    .transform(text => text === 'true'),
});

/** CloudFormation rejects a budget without a subscriber only when it creates it. */
const AccountOptions = Options.superRefine(({ email, budget }, { addIssue }) => {
  if (email !== undefined && budget === undefined)
    addIssue({ code: 'custom', path: ['budget'], message: 'an amount beside email, or neither', input: budget });
  if (budget !== undefined && email === undefined)
    addIssue({ code: 'custom', path: ['email'], message: 'an address beside budget, or neither', input: email });
});
export type AccountOptions = z.infer<typeof AccountOptions>;

/**
 * @param contextOf what a name has on the command line
 * @param region the region of the deployment, if it is known
 * @throws with every option that is missing or invalid
 */
export const readAccountOptions = (contextOf: (name: string) => unknown, region?: string): AccountOptions => {
  const given = Object.keys(Options.shape)
    .map(name => [name, contextOf(name)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  const heading = "The options of the account's stack are invalid; say each with -c name=value:";
  const schema = AccountOptions.refine(
    ({ budget }) => budget === undefined || !regionsWithoutBudgets.includes(region ?? ''),
    {
      path: ['budget'],
      message: `none in ${region}, which has no AWS::Budgets::Budget. Deploy the budget in another region`,
    },
  );
  return validate(schema, Object.fromEntries(given), heading);
};
