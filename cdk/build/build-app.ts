import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { listOfStages, type Settings, settingsOf } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { PetstoreStack } from '../stack/stack.ts';
import { keepMaps } from './assembly-source-maps.ts';
import { type Bundles, bundle } from './bundle/bundle.ts';
import { functionNames } from './bundle/function-names.ts';

export interface AppOptions extends AppProps {
  /** The stage, whatever the context says; the only way to name `local`. */
  readonly stage?: string;
  /** Settings that differ from those of the stage. */
  readonly settings?: Partial<Settings>;
  /** Bundles made before, for apps that are built more than once. */
  readonly bundles?: Bundles;
  /** Runs cdk-nag and CloudFormation's own validation, which take most of the time of a synthesis. */
  readonly validate?: boolean;
}

/** Where a stage loses nothing that a slip deletes. */
const defaultStage = 'dev';

const stageOf = (app: App): string => {
  const stage = app.node.tryGetContext('stage') ?? defaultStage;
  if (stage === 'local')
    throw new SettingsError(`The stage "local" is for this machine alone: npm start. ${listOfStages}`);
  return stage;
};

/** What of the settings a command line may say. */
const settingsIn = (app: App): Partial<Settings> =>
  Object.fromEntries(
    ['userPoolArn', 'tokenUrl']
      .map(name => [name, app.node.tryGetContext(name)])
      .filter(([, value]) => value !== undefined),
  );

/**
 * Bundles the functions and composes the app, ready to synthesize. The stage is `-c stage=…`; `-c userPoolArn=…` names a
 * user pool to use instead of creating one, and `-c tokenUrl=…` where it issues tokens.
 * @throws when there is no such stage, or one of its settings is invalid
 */
export const buildApp = async ({
  stage: wanted,
  settings: changes,
  bundles,
  validate = false,
  ...props
}: AppOptions = {}): Promise<App> => {
  const app = new App({ builtinCloudFormationValidation: validate, ...props });
  if (validate) Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const stage = wanted ?? stageOf(app);
  const settings = settingsOf(stage, { ...settingsIn(app), ...changes });
  const code = bundles ?? (await bundle(functionNames));
  new PetstoreStack(app, `petstore-${stage}`, { stage, settings, bundles: code });
  keepMaps(app.outdir, functionNames.map(code.folderOf));
  return app;
};
