import { runApp } from '../../config/settings-error.ts';
import { buildAccount } from './build-account.ts';

// `cdk deploy --app 'node cdk/stack/account/app.ts'` runs this app, once for each account and region.
await runApp(() => buildAccount({ validate: true }).synth());
