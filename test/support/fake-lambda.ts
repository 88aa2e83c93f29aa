import { resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { errorBody } from './aws-json.ts';
import type { startFakeAws } from './fake-aws.ts';

/** As startFakeAws names them. @returns the operations and what they change, for functions and mappings of a template */
export const startFakeLambda = (template: Template) => {
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
    ([id]) => `physical-${id}`,
  );
  const lambda = {
    mappings,
    /** Of mappings. */
    states: new Map<string, string>(),
    /** For how many reads a state of a mapping still changes. */
    reads: new Map<string, number>(),
    /** The concurrency of functions. */
    reserved: new Map<string, number>(),
    /** By ARN. */
    tags: new Map<string, Record<string, string>>(),
    reset: () => {
      for (const map of [lambda.reads, lambda.reserved, lambda.tags]) map.clear();
      for (const uuid of mappings) lambda.states.set(uuid, 'Enabled');
    },
    pausedMappings: () => mappings.filter(uuid => states.get(uuid)!.startsWith('Disabl')),
    /** Operations whose functions have no concurrency. */
    pausedWrites: () =>
      [...reserved]
        .flatMap(([name, units]) => (units ? [] : /^physical-(\w+?)Function/.exec(name)![1]!))
        .sort(),
  };
  const { states, reads, reserved, tags } = lambda;
  lambda.reset();
  const operations: Parameters<typeof startFakeAws>[1] = {
    // A change takes effect after some time, and meanwhile Lambda refuses another one (API reference, UpdateEventSourceMapping).
    'GET event-source-mappings': (_, id) => {
      const State = states.get(id);
      const left = (reads.get(id) ?? 0) - 1;
      reads.set(id, left);
      if (left <= 0) states.set(id, State!.replace(/ing$/, 'ed'));
      const FunctionArn = `arn:aws:lambda:eu-west-1:123456789012:function:petstore-${id}`;
      return { State, LastProcessingResult: 'OK', FunctionArn };
    },
    'PUT event-source-mappings': ({ Enabled }, id) => {
      if (states.get(id)!.endsWith('ing'))
        return errorBody('ResourceInUseException', `${id} is changing`);
      reads.set(id, 2);
      return states.set(id, Enabled ? 'Enabling' : 'Disabling');
    },
    'GET functions': (_, id) => ({ ReservedConcurrentExecutions: reserved.get(id) }),
    'PUT functions': ({ ReservedConcurrentExecutions: units }, id) => reserved.set(id, units),
    'DELETE functions': (_, id) => ({ isDeleted: reserved.delete(id) }),
    'GET tags': (_, arn) => ({ Tags: tags.get(arn) ?? {} }),
    'POST tags': ({ Tags }, arn) => tags.set(arn, Tags),
    'DELETE tags': (_, arn) => ({ isDeleted: tags.delete(arn.split('?')[0]!) }),
  };
  return Object.assign(lambda, { operations });
};
