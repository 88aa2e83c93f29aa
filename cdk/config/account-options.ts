/** What the account's stack is told on the command line: `-c repository=… -c email=… -c budget=…`. */
export interface AccountOptions {
  /** As GitHub says it in a token's subject, between `repo:` and `:environment`; since June 2026 with ids: `acme@1234/petstore@5678`. */
  readonly repository: string;
  /** Who is told of the budget. */
  readonly email: string;
  /** Dollars a month. */
  readonly budget: number;
  /** The account's provider for GitHub's tokens; absent: the stack makes it. */
  readonly oidcProviderArn?: string | undefined;
  /** API Gateway has a role for its logs that somebody else keeps. */
  readonly keepLogRole: boolean;
}

const part = '[\\w.-]+(?:@\\d+)?';

const shapes: Readonly<
  Record<string, { readonly pattern: RegExp; readonly example: string; readonly optional?: true }>
> = {
  repository: { pattern: new RegExp(`^${part}/${part}$`), example: 'acme/petstore, or acme@1234/petstore@5678' },
  email: { pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, example: 'oncall@example.com' },
  budget: { pattern: /^[1-9]\d*$/, example: '100 (dollars a month)' },
  oidcProviderArn: {
    pattern: /^arn:aws[a-z-]*:iam::\d{12}:oidc-provider\/token\.actions\.githubusercontent\.com$/,
    example: 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com',
    optional: true,
  },
  keepLogRole: { pattern: /^(?:true|false)$/, example: 'true', optional: true },
};

/** @param contextOf what a name has on the command line. @throws naming everything that is missing or malformed */
export const readAccountOptions = (contextOf: (name: string) => unknown): AccountOptions => {
  const faults = Object.entries(shapes).flatMap(([name, { pattern, example, optional }]) => {
    const value = contextOf(name);
    if (value === undefined && optional) return [];
    return pattern.test(String(value ?? '')) ? [] : [`-c ${name}=${value ?? '…'}: expected the like of ${example}`];
  });
  if (faults.length > 0) throw new Error(`The account's stack needs to be told more.\n  ${faults.join('\n  ')}`);
  return {
    repository: String(contextOf('repository')),
    email: String(contextOf('email')),
    budget: Number(contextOf('budget')),
    oidcProviderArn: contextOf('oidcProviderArn') as string | undefined,
    keepLogRole: String(contextOf('keepLogRole')) === 'true',
  };
};
