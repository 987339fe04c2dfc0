import { randomBytes } from 'node:crypto';
import { LocalTask, type Override, type TaskPlace } from './task.ts';
import { type Operation, WireError } from './wire.ts';

const overridesBytesMax = 8_192;
const service = 'AmazonEC2ContainerServiceV20141113';

type Input = Readonly<Record<string, unknown>>;

/** One task, however it runs. */
export interface RunningTask {
  stop(reason: string): Promise<void>;
  /** As DescribeTasks tells it, without its name. */
  describe(): Readonly<Record<string, unknown>> & { readonly lastStatus: string };
}

export type StartTask = (
  input: { readonly overrides: readonly Override[] } & Input,
) => Promise<RunningTask>;

type Kept = { readonly arn: string; readonly startedBy: unknown; readonly task: RunningTask };

export type FakeTasks = {
  /** Names of those that have not ended. */
  readonly running: () => readonly string[];
  /** Every task that was asked for, by whomever, is there or has failed. */
  readonly settled: () => Promise<void>;
  readonly operations: Readonly<Record<string, Operation>>;
};

/** ECS as far as executions need it. A token of a client gets one task, however often it asks. */
export function fakeTasks(family: string, start: StartTask): FakeTasks {
  const tasks = new Map<string, Kept>();
  const tokens = new Map<unknown, Promise<Kept>>();
  const found = (arn: unknown) => {
    const kept = tasks.get(String(arn));
    if (kept) return kept;
    throw new WireError('InvalidParameterException', 'The referenced task was not found.');
  };
  const started = async (input: Input): Promise<Kept> => {
    if (input['taskDefinition'] !== family)
      throw new WireError('ClientException', 'Unable to describe task definition.');
    const { containerOverrides = [] } = input['overrides'] as { containerOverrides?: Override[] };
    if (Buffer.byteLength(JSON.stringify(input['overrides'])) > overridesBytesMax)
      throw new WireError(
        'InvalidParameterException',
        'Container Overrides length must be at most 8192',
      );
    const id = randomBytes(16).toString('hex');
    const arn = `arn:aws:ecs:eu-central-1:000000000000:task/timeloom/${id}`;
    const task = await start({ ...input, overrides: containerOverrides });
    const kept = { arn, startedBy: input['startedBy'], task };
    tasks.set(arn, kept);
    return kept;
  };
  const run: Operation = async (input) => {
    const token = input['clientToken'] ?? Symbol('none');
    const known = tokens.get(token) ?? started(input);
    tokens.set(token, known);
    const { arn } = await known;
    return { tasks: [{ taskArn: arn, lastStatus: 'PROVISIONING' }], failures: [] };
  };
  const alive = () =>
    [...tasks.values()].filter(({ task }) => task.describe().lastStatus !== 'STOPPED');
  const described = ({ arn, task }: Kept) => ({ taskArn: arn, ...task.describe() });
  const operations: Record<string, Operation> = {
    [`${service}.RunTask`]: run,
    [`${service}.DescribeTasks`]: async ({ tasks: arns }) => ({
      tasks: (arns as string[]).flatMap((arn) => {
        const kept = tasks.get(arn);
        return kept ? [described(kept)] : [];
      }),
      failures: [],
    }),
    [`${service}.StopTask`]: async ({ task, reason }) => {
      await found(task).task.stop(String(reason));
      return { task: described(found(task)) };
    },
    [`${service}.ListTasks`]: async ({ startedBy }) => ({
      taskArns: alive().flatMap((kept) => (kept.startedBy === startedBy ? [kept.arn] : [])),
    }),
  };
  const settled = async () => {
    await Promise.allSettled(tokens.values());
  };
  return { running: () => alive().map(({ arn }) => arn), settled, operations };
}

/** Tasks that really run, as containers. */
export function inContainers(place: () => TaskPlace): StartTask {
  return ({ overrides }) => LocalTask.run(place(), { overrides });
}
