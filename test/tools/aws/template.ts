import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { TaskDefinition } from './task-definition.ts';

const context = {
  executorImage: 'timeloom-fargate-executor:latest',
  supervisorImage: 'timeloom-fargate-supervisor:latest',
  vpcId: 'vpc-0123456789abcdef0',
  prefix: 'acme',
};

const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.unknown().optional() }),
  ),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })),
});
export type Template = z.infer<typeof Template>;

/** What the stack would make, as CDK's command gets it from the app. */
export async function executionsTemplate(): Promise<Template> {
  const outdir = await mkdtemp(join(tmpdir(), 'timeloom-cdk-'));
  try {
    const app = join(import.meta.dirname, '../../../deploy/cdk/main.ts');
    const argv = ['--conditions=timeloom-source', '--import', 'tsx', app];
    // What CDK thinks of a template costs it nine tenths of the work, and nobody reads it here.
    const settings = { CDK_CONTEXT_JSON: JSON.stringify(context), CDK_VALIDATION: 'false' };
    const env = { CDK_OUTDIR: outdir, ...settings };
    await promisify(execFile)(process.execPath, argv, { env: { ...process.env, ...env } });
    const text = await readFile(join(outdir, 'TimeloomExecutions.template.json'), 'utf8');
    return Template.parse(JSON.parse(text));
  } finally {
    await rm(outdir, { recursive: true });
  }
}

/** The properties of every resource of a type, by name. */
export function resourcesOf({ Resources }: Template, type: string): ReadonlyMap<string, unknown> {
  const found = Object.entries(Resources).filter(([, { Type }]) => Type === type);
  return new Map(found.map(([name, { Properties }]) => [name, Properties]));
}

export function taskDefinitionOf(template: Template): TaskDefinition {
  const [task] = resourcesOf(template, 'AWS::ECS::TaskDefinition').values();
  return TaskDefinition.parse(task);
}
