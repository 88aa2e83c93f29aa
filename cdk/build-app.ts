import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { operationIds } from '../lib/operations/index.ts';
import { type Bundles, bundle } from './bundle.ts';
import { PetstoreStack } from './petstore-stack.ts';
import { type Settings, settingsOf } from './settings.ts';

export interface AppOptions extends AppProps {
  /** The stage when the context names none. */
  readonly stage?: string;
  /** Settings that differ from those of the stage. */
  readonly settings?: Partial<Settings>;
  /** Bundles made before, for apps that are built more than once. */
  readonly bundles?: Bundles;
}

const defaultStage = 'prod';

/** A stage is part of an address and of a stack's name. */
const stagePattern = /^[a-z][a-z0-9]{0,19}$/;

/**
 * Bundles the functions and composes the app, ready to synthesise. The stage is `-c stage=…`; `-c userPoolArn=…` names a
 * user pool to use instead of creating one, and `-c tokenUrl=…` where it issues tokens.
 * @throws when the name of the stage would not do in a stack's name or an address
 */
export const buildApp = async ({ stage: wanted, settings, bundles, ...props }: AppOptions = {}): Promise<App> => {
  const app = new App(props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const stage = wanted ?? app.node.tryGetContext('stage') ?? defaultStage;
  if (!stagePattern.test(stage)) {
    throw new Error(
      `The stage "${stage}" must be 1 to 20 lower-case letters and digits, starting with a letter: -c stage=prod`,
    );
  }
  new PetstoreStack(app, `petstore-${stage}`, {
    stage,
    settings: { ...settingsOf(stage), ...settings },
    bundles: bundles ?? (await bundle(operationIds)),
    borrowedPool: { userPoolArn: app.node.tryGetContext('userPoolArn'), tokenUrl: app.node.tryGetContext('tokenUrl') },
  });
  return app;
};
