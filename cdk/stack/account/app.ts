import { buildAccount } from './build-account.ts';

// What `cdk deploy --app 'node cdk/stack/account/app.ts'` runs, once for an account and region.
buildAccount({ validate: true }).synth();
