import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Container,
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs';
import { killedExit } from '../../../../supervisor/cell/cell.ts';
import { Fault } from '../../../base/fault.ts';
import { capacityTriesMax, capacityWaitMs, listedMax } from '../settings/limits.ts';
import { containers, type FargateSettings } from '../settings/settings.ts';
import { callService, clientOptions } from './client.ts';
import { type TaskSpec, toRunRequest } from './run-request.ts';

const ecs = 'ECS';

type Waits = { readonly signal: AbortSignal };

/** State of a task and its executor, as the service reports it. */
export type TaskState = {
  readonly executorEnded: boolean;
  /** Exit code of the executor; undefined: it is running, or the service lost it. */
  readonly code: number | undefined;
  readonly outOfMemory: boolean;
  /** Why the task stopped, for an operator. */
  readonly because: string;
  /** The whole task has stopped. */
  readonly stopped: boolean;
};

/** Tasks of one cluster. Errors of the service are Fault `EXEC_FAILED`. */
export class Tasks implements Disposable {
  readonly #client: ECSClient;
  readonly #settings: FargateSettings;

  constructor(settings: FargateSettings) {
    this.#settings = settings;
    this.#client = new ECSClient(clientOptions(settings));
  }

  /** Starts a task and returns its ARN. Retries with growing pauses while the cluster has no capacity. */
  async run(ordered: TaskSpec, { signal }: Waits): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const request = toRunRequest(ordered, this.#settings, attempt);
      signal.throwIfAborted();
      // Not aborted half-way: otherwise a task could start without our knowing and keep running.
      const { tasks = [], failures = [] } = await callService(
        ecs,
        this.#client.send(new RunTaskCommand(request)),
      );
      const [{ taskArn } = {}] = tasks;
      if (taskArn !== undefined) return taskArn;
      const reason = failures[0]?.reason ?? 'no task';
      const full = /capacity|RESOURCE/i.test(reason);
      if (!full || attempt >= capacityTriesMax)
        throw new Fault('EXEC_FAILED', { because: `no task was started: ${reason}` });
      await sleep(capacityWaitMs * 2 ** attempt * Math.random(), undefined, { signal });
    }
  }

  /** Undefined if the service does not know the task: not yet, or no longer. */
  async describe(arn: string, { signal }: Waits): Promise<TaskState | undefined> {
    const { cluster } = this.#settings;
    const request = new DescribeTasksCommand({ cluster, tasks: [arn] });
    const { tasks = [] } = await callService(
      ecs,
      this.#client.send(request, { abortSignal: signal }),
    );
    return tasks[0] && toTaskState(tasks[0]);
  }

  /** A task that no longer exists is not an error. */
  async stop(arn: string, reason: string): Promise<void> {
    const { cluster } = this.#settings;
    try {
      await callService(
        ecs,
        this.#client.send(new StopTaskCommand({ cluster, task: arn, reason })),
      );
    } catch (error) {
      if (!(error instanceof Fault && /not found/i.test(String(error.detail['because']))))
        throw error;
    }
  }

  /** Tasks of a cell that are not stopping: usually one or none; two if a retried request started a second one. */
  async listForCell(cell: string, { signal }: Waits): Promise<readonly string[]> {
    const { cluster } = this.#settings;
    const request = new ListTasksCommand({ cluster, startedBy: cell, maxResults: listedMax });
    const { taskArns = [] } = await callService(
      ecs,
      this.#client.send(request, { abortSignal: signal }),
    );
    return taskArns;
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}

function toTaskState(task: Task): TaskState {
  const all = task.containers ?? [];
  const executor = all.find(({ name }) => name === containers.executor);
  const others = all.filter((each) => each !== executor);
  const stopped = task.lastStatus === 'STOPPED';
  const ended = executor?.exitCode === undefined ? '' : `exit code ${executor.exitCode}`;
  return {
    executorEnded: stopped || executor?.lastStatus === 'STOPPED',
    code: executor?.exitCode,
    outOfMemory:
      executor?.reason?.startsWith('OutOfMemory') === true || wasKilledAlone(executor, others),
    because: task.stoppedReason ?? executor?.reason ?? ended,
    stopped,
  };
}

/** In a task that keeps running, only the kernel kills the executor; the engine may lose the kernel's report. */
function wasKilledAlone(executor: Container | undefined, others: readonly Container[]): boolean {
  const goesOn = others.every(({ lastStatus }) => lastStatus === 'RUNNING');
  return executor?.exitCode === killedExit.code && goesOn;
}
