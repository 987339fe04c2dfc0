import { z } from 'zod';
import type { FargateSettings } from '../../adapters/fargate/settings/settings.ts';

const text = z.string().min(1);

/** `exec.fargate` of assembly.yaml. */
export const Fargate = z.strictObject({
  cluster: text,
  task_definition: text,
  subnets: z.array(text).min(1),
  security_groups: z.array(text).min(1),
  bucket: text,
  prefix: z.string().optional(),
});

const requiredKeys = Object.keys(Fargate.shape).filter((name) => name !== 'prefix');

type FargateSources = {
  readonly mode: string;
  readonly fargate: z.infer<typeof Fargate> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly problems: string[];
};

/** Undefined in other modes. Missing settings are an error and never select another mode. */
export function toFargate({
  mode,
  fargate,
  env,
  problems,
}: FargateSources): FargateSettings | undefined {
  if (mode !== 'fargate') return undefined;
  if (fargate === undefined) {
    problems.push(
      `exec.fargate: missing in assembly.yaml; mode fargate requires ${requiredKeys.join(', ')}`,
    );
    return undefined;
  }
  const { cluster, bucket, prefix = '', subnets } = fargate;
  const { task_definition: taskDefinition, security_groups: securityGroups } = fargate;
  const common = { cluster, taskDefinition, subnets, securityGroups, bucket, prefix };
  const aws = env['AWS_ENDPOINT_URL'];
  if (aws === undefined || aws === '') return common;
  return { ...common, endpoints: { aws, s3: env['AWS_ENDPOINT_URL_S3'] || aws } };
}
