import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { chatMessage } from '../../client/protocol/request-schemas.ts';
import type { TaskEnding, TaskStatus } from '../../sdk/compile/host/bundle-host.ts';
import { type Task, taskEvent, tasksIn } from '../../timeline/close/tasks.ts';
import { emptyView, foldArchive } from '../../timeline/fold/fold.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { brief } from '../../timeline/render/text.ts';
import type { View } from '../../timeline/view.ts';
import { parseInput } from '../input/parse-input.ts';
import { acceptEvent } from './accept-event.ts';
import { taskPageBlocks, taskPollMs, taskTextCharsMax, taskWaitMsMax } from './limits.ts';

type Parts = Parameters<typeof acceptEvent>[1] & { readonly bundle: string };

const Ending = z.union([
  z.object({ ret: z.json() }),
  z.object({ error: z.string().min(1).max(taskTextCharsMax) }),
]);

/**
 * Ends a task: its result is an event of the conversation, which joins the open turn or opens one with the agent that
 * deferred the work. Repeating it changes nothing, and the result of a cancelled task is dropped. Refusal `not_found`.
 */
export async function finishTask(
  row: ConversationRow,
  given: TaskEnding,
  parts: Parts,
): Promise<TaskStatus> {
  const task = await findTask(row, given.task, parts);
  if (task.state !== 'running') return task.state;
  const ending = parseInput(Ending, given);
  const isOk = 'ret' in ending;
  const payload = isOk
    ? { task: task.id, ok: true, ret: ending.ret }
    : { task: task.id, ok: false, error: ending.error };
  const said = isOk ? JSON.stringify(ending.ret) : ending.error;
  const text = `Task ${task.id} (${task.title}) has ${isOk ? 'finished' : 'failed'}: ${brief(said, taskTextCharsMax)}`;
  const id = { conversation_id: row.id, message_id: `task_${task.id}` };
  const message = parseInput(chatMessage, { ...id, kind: 'task', payload });
  const event = { type: taskEvent, text, payload, reactive: true, needsTurn: false };
  const { tenant, project, user } = row;
  const agent = { bundle: parts.bundle, agent: agentOf(task) };
  const sender = { tenant, project, user };
  await acceptEvent({ sender, message, event, files: [], agent }, parts);
  return isOk ? 'finished' : 'failed';
}

/**
 * The task of this bundle. A job may end a task before the call that defers it has been recorded: while a call is running, this
 * waits for it. Refusal `not_found`.
 */
export async function findTask(row: ConversationRow, id: string, parts: Parts): Promise<Task> {
  let view = emptyView;
  for (let waitedMs = 0; ; waitedMs += taskPollMs) {
    view = await foldNew(view, row, parts);
    const tasks = tasksIn(view.turns);
    const found = tasks.findLast((task) => task.id === id && bundleOf(task) === parts.bundle);
    if (found) return found;
    const isEarly = view.openTurn?.rounds.at(-1)?.calls.some(({ result }) => result === undefined);
    if (!isEarly || waitedMs >= taskWaitMsMax) break;
    await setTimeout(taskPollMs, undefined, { signal: parts.signal });
  }
  throw new Refusal('not_found', `task ${id} not found in conversation ${row.id}`);
}

async function foldNew(known: View, { key }: ConversationRow, { store, signal }: Parts) {
  let view = known;
  for (;;) {
    const after = toSeq(view.head);
    const blocks = await store.read(key, { after, limit: taskPageBlocks, signal });
    view = foldArchive(view, blocks);
    if (blocks.length < taskPageBlocks) return view;
  }
}

const Opened = z.looseObject({ bundle: z.string(), agent: z.string() });

function bundleOf({ turn }: Task): string | undefined {
  return Opened.safeParse(turn.data).data?.bundle;
}

function agentOf({ turn }: Task): string {
  return Opened.safeParse(turn.data).data?.agent ?? '';
}
