import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { listOfStages, type Settings, settingsOf } from '../config/settings.ts';
import { SettingsError } from '../config/validate.ts';
import { PetstoreStack } from '../stack/stack.ts';
import { storeSourceMaps } from './assembly-source-maps.ts';
import { type Bundles, bundle } from './bundle/bundle.ts';
import { functionNames } from './bundle/function-names.ts';

/** @param props.validate runs cdk-nag and the CloudFormation validation, which take most of the time of a synthesis */
export const newApp = ({ validate = false, ...props }: AppProps & { readonly validate?: boolean }): App => {
  const app = new App({ builtinCloudFormationValidation: validate, ...props });
  if (validate) Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};

export interface AppOptions extends AppProps {
  /** Overrides the stage of the context. Only this option accepts `local`. */
  readonly stage?: string;
  /** Overrides settings of the stage. */
  readonly settings?: Partial<Settings>;
  /** Existing bundles; absent: the functions are bundled. */
  readonly bundles?: Bundles;
  readonly validate?: boolean;
}

/** The stage where a mistake costs no data. */
const defaultStage = 'dev';

const stageOf = (app: App): string => {
  const stage = app.node.tryGetContext('stage') ?? defaultStage;
  if (stage === 'local')
    throw new SettingsError(`The stage "local" cannot be deployed. Run it with npm start. ${listOfStages}`);
  return stage;
};

/** Settings from the command line. */
const settingsIn = (app: App): Partial<Settings> =>
  Object.fromEntries(
    ['userPoolArn', 'tokenUrl']
      .map(name => [name, app.node.tryGetContext(name)])
      .filter(([, value]) => value !== undefined),
  );

/**
 * Bundles the functions and builds the app. The stage is `-c stage=…`. With `-c userPoolArn=…` the stack uses an existing
 * user pool, whose token endpoint is `-c tokenUrl=…`.
 * @throws if the stage does not exist, or a setting is invalid
 */
export const buildApp = async ({
  stage: wanted,
  settings: changes,
  bundles,
  ...props
}: AppOptions = {}): Promise<App> => {
  const app = newApp(props);
  const stage = wanted ?? stageOf(app);
  const settings = settingsOf(stage, { ...settingsIn(app), ...changes });
  const code = bundles ?? (await bundle(functionNames));
  new PetstoreStack(app, `petstore-${stage}`, { stage, settings, bundles: code });
  storeSourceMaps(app.outdir, functionNames.map(code.folderOf));
  return app;
};
