import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ExecutionsStack } from '../../../deploy/cdk/stack.ts';
import { TaskDefinition } from './task-definition.ts';

const props = {
  executorImage: 'timeloom-fargate-executor:latest',
  supervisorImage: 'timeloom-fargate-supervisor:latest',
  vpcId: 'vpc-0123456789abcdef0',
  prefix: 'acme',
} as const;

/** What the stack would make. */
export function executionsTemplate(): Template {
  const outdir = mkdtempSync(join(tmpdir(), 'timeloom-cdk-'));
  try {
    return Template.fromStack(new ExecutionsStack(new App({ outdir }), 'Executions', props));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

export function taskDefinitionOf(template: Template): TaskDefinition {
  const [task] = Object.values(template.findResources('AWS::ECS::TaskDefinition'));
  return TaskDefinition.parse(task?.['Properties']);
}
