import { App } from 'aws-cdk-lib';
import { ExecutionsStack } from './stack.ts';

const app = new App();
const said = (name: string): string => {
  const given: unknown = app.node.tryGetContext(name);
  if (typeof given === 'string' && given !== '') return given;
  throw new Error(`${name} is missing in the context: CDK_CONTEXT_JSON=…`);
};
const prefixOf = (given: unknown): string => (typeof given === 'string' ? given : '');
new ExecutionsStack(app, 'TimeloomExecutions', {
  executorImage: said('executorImage'),
  supervisorImage: said('supervisorImage'),
  vpcId: said('vpcId'),
  prefix: prefixOf(app.node.tryGetContext('prefix')),
});
app.synth();
