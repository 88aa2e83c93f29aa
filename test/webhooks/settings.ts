import type { Settings } from '../../cdk/config/settings.ts';
import { maxWebhooks } from '../../cdk/config/webhooks.ts';

export const one = {
  url: 'https://a.example.com/',
  types: ['petstore.*'],
  secret: 'petstore/partner',
  concurrency: 2,
};

export const everything = {
  webhooks: {
    one: {
      url: 'https://one.example.com/hook?tenant=7',
      types: ['petstore.pet.*', 'petstore.order.placed'],
      secret: 'petstore/one',
      concurrency: 10,
    },
    two: {
      url: 'https://two.example.com/',
      types: ['petstore.*'],
      client: 'shop',
      secret: 'petstore/two',
      concurrency: 2,
    },
  },
};

const hooks = Array.from({ length: maxWebhooks }, (_, index) => `w${index}`.padEnd(6, 'x'));

/** As many webhooks as allowed. The last two share a secret, and the first has a higher concurrency. */
export const full = {
  webhooks: Object.fromEntries(
    hooks.map((name, index) => {
      const [concurrency, secret] = [
        index === 0 ? 47 : 10,
        `s/${hooks[Math.min(index, maxWebhooks - 2)]}`,
      ];
      return [
        name,
        { url: 'https://w.example.com/hook', types: ['petstore.*'], secret, concurrency },
      ];
    }),
  ),
} satisfies Partial<Settings>;
