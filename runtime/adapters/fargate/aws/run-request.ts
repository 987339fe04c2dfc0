import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { Fault } from '../../../base/fault.ts';
import { overridesBytesMax } from '../settings/limits.ts';
import { containers, type FargateSettings } from '../settings/settings.ts';
import type { Tags } from './tags.ts';
import { taskSizeOf } from './task-size.ts';

export type TaskSpec = {
  /** Argument of the launcher. */
  readonly launch: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly tags: Tags;
  /** Name by which its tasks are found. */
  readonly cell: string;
};

/** Fault `EXEC_FAILED` for overrides that the service would reject. An attempt keeps its client token, so resending it starts no second task. */
export function toRunRequest(
  ordered: TaskSpec,
  settings: FargateSettings,
  attempt: number,
): RunTaskCommandInput {
  const { launch, cpus, memoryMb, variables, tags, cell } = ordered;
  const environment = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const containerOverrides = [
    { name: containers.supervisor, environment },
    { name: containers.executor, command: [launch], memory: memoryMb },
  ];
  const overrides = { ...taskSizeOf({ cpus, memoryMb }), containerOverrides };
  const bytes = Buffer.byteLength(JSON.stringify(overrides));
  if (bytes > overridesBytesMax)
    throw new Fault('EXEC_FAILED', { because: 'container overrides too large', bytes });
  return {
    cluster: settings.cluster,
    taskDefinition: settings.taskDefinition,
    launchType: 'FARGATE',
    count: 1,
    clientToken: `${cell}-${attempt}`,
    startedBy: cell,
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: [...settings.subnets],
        securityGroups: [...settings.securityGroups],
        assignPublicIp: 'DISABLED',
      },
    },
    overrides,
    tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
  };
}
