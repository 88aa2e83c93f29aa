import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type AppProps, FileSystem, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { type Bundles, bundle } from '../bundle/bundle.ts';
import { functionNames } from '../bundle/function-names.ts';
import { sourceMapOf, withPortablePaths } from '../bundle/source-maps.ts';
import { localStage, type StageSettings, type Stages, settingsOf } from '../config/settings.ts';
import { SettingsError } from '../config/validate.ts';
import { PetstoreStack } from '../stack/stack.ts';

/** @param props.validate runs cdk-nag and the CloudFormation validation, most of the time of a synthesis */
export const newApp = ({
  validate = false,
  ...props
}: AppProps & { readonly validate?: boolean }): App => {
  const app = new App({ builtinCloudFormationValidation: validate, ...props });
  if (validate)
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};

/**
 * Prints a SettingsError without its stack trace. The umask makes files readable for all users, because the CDK keeps file
 * permissions in its zip files, and Lambda reads code as another user.
 */
export const runApp = async (synthesize: () => unknown): Promise<void> => {
  process.umask(0o022);
  try {
    await synthesize();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
};

export interface AppOptions extends AppProps {
  readonly stages?: Stages;
  /** Overrides the stage of the context. Only this option accepts `local`. */
  readonly stage?: string;
  readonly settings?: StageSettings;
  /** Absent: the app bundles the functions. */
  readonly bundles?: Bundles;
  readonly validate?: boolean;
  /** Gets the stage, its stack and its region. */
  readonly announce?: (text: string) => void;
}

/** The stage where a mistake costs no data. */
const defaultStage = 'dev';

/** For `-c name=value`. The account stack has other names (cdk/config/account-options.ts). */
const contextNames = ['stage', 'userPoolArn', 'tokenUrl'];

/** The CDK ignores unknown names of `-c`. @throws for one without the characters of the CDK's own names, such as `@` and `:` */
export const checkContext = (app: App, known: readonly string[]): void => {
  // `cdk acknowledge` writes this one.
  const allowed = [...known, 'acknowledged-issue-numbers'];
  for (const name of Object.keys(app.node.getAllContext()))
    if (/^[\w-]*$/.test(name) && !allowed.includes(name))
      throw new SettingsError(
        `There is no -c ${name}. There are ${known.join(', ')}. Settings stand in cdk/stages.ts.`,
      );
};

/** For stack traces of deployed functions. The maps are next to the assets, so they are not deployed. Unbundled code has none. */
const storeSourceMaps = (assembly: string, folders: readonly string[]): void => {
  for (const folder of folders.filter(code => existsSync(sourceMapOf(code)))) {
    const asset = join(assembly, `asset.${FileSystem.fingerprint(folder)}`);
    writeFileSync(
      sourceMapOf(asset),
      withPortablePaths(readFileSync(sourceMapOf(folder), 'utf8'), assembly),
    );
  }
};

/** @throws if there is no such stage */
const find = (stage: string, stages: Stages): StageSettings => {
  const found = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (found) return found;
  const list = `There are ${Object.keys(stages).join(', ')} (cdk/stages.ts).`;
  if (stage !== 'local') throw new SettingsError(`There is no stage "${stage}". ${list}`);
  throw new SettingsError(`The stage "local" cannot be deployed. Run it with npm start. ${list}`);
};

/**
 * The stage is `-c stage=…`, by default `dev`. With `-c userPoolArn=…` the stack uses an existing user pool, whose token endpoint
 * is `-c tokenUrl=…`.
 * @throws if the stage does not exist, a setting is invalid, or `checkContext` rejects a name
 */
export const buildApp = async (options: AppOptions = {}): Promise<App> => {
  const { stages = {}, stage: wanted, settings: changes, bundles, announce, ...props } = options;
  const app = newApp(props);
  checkContext(app, contextNames);
  const isDefault = wanted === undefined && app.node.tryGetContext('stage') === undefined;
  const stage: string = wanted ?? app.node.tryGetContext('stage') ?? defaultStage;
  const given = wanted === 'local' ? localStage : find(stage, stages);
  const poolNames = contextNames
    .slice(1)
    .filter(name => app.node.tryGetContext(name) !== undefined);
  const pool = Object.fromEntries(poolNames.map(name => [name, app.node.tryGetContext(name)]));
  const limits = { ...given.limits, ...changes?.limits };
  const settings = settingsOf(stage, { ...given, ...pool, ...changes, limits });
  // The CDK CLI sets CDK_DEFAULT_REGION to the region of the credentials.
  const { CDK_DEFAULT_REGION: ofCredentials = 'unknown' } = process.env;
  const region = settings.region
    ? `${settings.region} (cdk/stages.ts)`
    : `${ofCredentials} (credentials)`;
  announce?.(
    `Stage ${stage}${isDefault ? ' (default; other stages: -c stage=NAME)' : ''} → stack petstore-${stage}, region ${region}`,
  );
  if (settings.alarms && { ...given, ...changes }.accessLog === undefined)
    announce?.('Its alarms switch accessLog on, which needs the account stack (logRole) first.');
  // The documents of `local` state what callers get from `prod`.
  const documented = stage === 'local' ? undefined : { ...given, ...changes, limits };
  const code = bundles ?? (await bundle(functionNames(), undefined, documented));
  new PetstoreStack(app, `petstore-${stage}`, { stage, settings, bundles: code });
  storeSourceMaps(app.outdir, functionNames().map(code.folderOf));
  return app;
};
