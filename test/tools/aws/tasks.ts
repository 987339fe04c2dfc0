import Docker from 'dockerode';
import { LocalTask, type Override } from './task.ts';
import type { TaskDefinition } from './task-definition.ts';
import { type Operation, WireError } from './wire.ts';

const overridesBytesMax = 8_192;
const service = 'AmazonEC2ContainerServiceV20141113';

/** ECS as far as executions need it: a task really runs, as containers of the engine at `socketPath`. */
export function fakeTasks(options: {
  readonly socketPath: string;
  readonly definition: TaskDefinition;
  /** Of every container: what a task role and a region are there. */
  readonly env: () => readonly string[];
}): {
  readonly running: () => readonly LocalTask[];
  readonly operations: Readonly<Record<string, Operation>>;
} {
  const docker = new Docker({ socketPath: options.socketPath });
  const tasks = new Map<string, LocalTask>();
  const found = (arn: unknown) => {
    const task = tasks.get(String(arn));
    if (task) return task;
    throw new WireError('InvalidParameterException', 'The referenced task was not found.');
  };
  const run: Operation = async (input) => {
    if (input['taskDefinition'] !== options.definition.Family)
      throw new WireError('ClientException', 'Unable to describe task definition.');
    const { containerOverrides = [] } = input['overrides'] as { containerOverrides?: Override[] };
    if (Buffer.byteLength(JSON.stringify(input['overrides'])) > overridesBytesMax)
      throw new WireError(
        'InvalidParameterException',
        'Container Overrides length must be at most 8192',
      );
    const way = { overrides: containerOverrides, tags: input['tags'], env: options.env() };
    const task = await LocalTask.run(docker, options.definition, way);
    tasks.set(task.arn, task);
    return { tasks: [{ taskArn: task.arn, lastStatus: 'PROVISIONING' }], failures: [] };
  };
  const running = () =>
    [...tasks.values()].filter((task) => task.describe().lastStatus !== 'STOPPED');
  const operations: Record<string, Operation> = {
    [`${service}.RunTask`]: run,
    [`${service}.DescribeTasks`]: async ({ tasks: arns }) => ({
      tasks: (arns as string[]).flatMap((arn) => tasks.get(arn)?.describe() ?? []),
      failures: [],
    }),
    [`${service}.StopTask`]: async ({ task, reason }) => {
      await found(task).stop(String(reason));
      return { task: found(task).describe() };
    },
    [`${service}.ListTasks`]: async () => ({ taskArns: running().map(({ arn }) => arn) }),
  };
  return { running, operations };
}
