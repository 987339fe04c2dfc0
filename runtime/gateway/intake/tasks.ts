import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { chatMessage } from '../../client/protocol/request-schemas.ts';
import type { TaskEnding, TaskStatus } from '../../sdk/compile/host/bundle-host.ts';
import { type Task, taskEvent, tasksIn } from '../../timeline/close/tasks.ts';
import { emptyView, foldArchive } from '../../timeline/fold/fold.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { brief } from '../../timeline/render/text.ts';
import { parseInput } from '../input/parse-input.ts';
import { acceptEvent } from './accept-event.ts';
import { taskPageBlocks, taskTextCharsMax } from './limits.ts';

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

/** The task of this bundle. Refusal `not_found`. */
export async function findTask(
  row: ConversationRow,
  id: string,
  { store, signal, bundle }: Parts,
): Promise<Task> {
  let view = emptyView;
  for (let after = 0; ; after = view.head) {
    const page = { after: toSeq(after), limit: taskPageBlocks, signal };
    const blocks = await store.read(row.key, page);
    view = foldArchive(view, blocks);
    if (blocks.length < taskPageBlocks) break;
  }
  const found = tasksIn(view.turns).findLast((task) => task.id === id && bundleOf(task) === bundle);
  if (found) return found;
  throw new Refusal('not_found', `task ${id} not found in conversation ${row.id}`);
}

const Opened = z.looseObject({ bundle: z.string(), agent: z.string() });

function bundleOf({ turn }: Task): string | undefined {
  return Opened.safeParse(turn.data).data?.bundle;
}

function agentOf({ turn }: Task): string {
  return Opened.safeParse(turn.data).data?.agent ?? '';
}
