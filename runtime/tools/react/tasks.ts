import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { type Task, tasksIn } from '../../timeline/close/tasks.ts';
import { createTool } from '../definition/create-tool.ts';
import type { CallContext, Tool, ToolOutcome } from '../ports/tool.ts';
import { taskWaitSeconds, taskWaitSecondsMax } from './limits.ts';

const Input = z.object({
  mode: z.enum(['view', 'wait', 'cancel']),
  task: z.string().optional().describe('for wait and cancel; view without it: all'),
  seconds: z.int().min(1).max(taskWaitSecondsMax).default(taskWaitSeconds).describe('for wait'),
});
type Input = z.output<typeof Input>;

const tool = createTool({
  id: 'react.tasks',
  kind: 'control',
  traits: ['neutral'],
  concurrency: 'alone',
  description:
    'Work that a tool has deferred. view: its state and result; wait: until it has ended; cancel: its result is not wanted any more. ' +
    'Do not wait without need: complete instead, and you are called when it has ended.',
  input: Input,
  run: async (input, context) => run(input, context),
});

/** For agents with tools that defer their work. */
export const tasksTool: Tool = {
  ...tool,
  /** A turn that waits for a task is parked; the event that ends the task resumes it. */
  consider: async (given, context) => {
    const { mode, task, seconds } = Input.parse(given);
    const found = mode === 'wait' && task !== undefined ? find(task, context) : undefined;
    if (found?.state !== 'running') return { ok: true };
    const external = { input: given, timeoutMs: seconds * 1_000, task: found.id };
    return { ok: true, external };
  },
};

function run({ mode, task }: Input, context: CallContext): ToolOutcome {
  const tasks = tasksIn(context.view.turns);
  if (mode === 'view' && task === undefined) {
    return { result: { ok: true, ret: { tasks: tasks.map(toJson) } } };
  }
  const found = task === undefined ? undefined : find(task, context);
  if (!found) {
    const known = tasks.map(({ id }) => id).join(', ');
    const message = `No task ${task ?? ''} is in sight. There are: ${known === '' ? 'none' : known}.`;
    return { result: { ok: false, error: { code: 'not_found', message, retryable: false } } };
  }
  if (mode !== 'cancel') return { result: { ok: true, ret: toJson(found) } };
  if (found.state === 'running') return { result: { ok: true, ret: { cancelled: found.id } } };
  const message = `Task ${found.id} is ${found.state}.`;
  return { result: { ok: false, error: { code: 'task_ended', message, retryable: false } } };
}

function find(task: string, { view }: CallContext): Task | undefined {
  return tasksIn(view.turns).findLast(({ id }) => id === task);
}

function toJson(task: Task): Json {
  const { id, tool: by, title, state, startedAt } = task;
  const ended =
    task.state === 'finished'
      ? { ret: task.ret }
      : task.state === 'failed'
        ? { error: task.error }
        : {};
  return { task: id, tool: by, title, state, started: startedAt, ...ended };
}
