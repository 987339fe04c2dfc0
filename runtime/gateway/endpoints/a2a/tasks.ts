import { Refusal } from '../../../base/refusal.ts';
import { toSeq } from '../../../timeline/ids.ts';
import type { ConversationRow, Sender } from '../../../timeline/ports/store.ts';
import { afterBlock } from '../../feed/cursor.ts';
import { readHistory } from '../../feed/history.ts';
import type { HttpParts } from '../../http/context.ts';
import { TaskState } from '../../projections/a2a/task-state.ts';
import type { ResumePoint } from '../../projections/resume-point.ts';
import { startOfRun } from '../langgraph/run-start.ts';
import { parseTaskId, type TaskName } from './message-params.ts';

export type FoundTask = TaskName & { readonly row: ConversationRow; readonly start: ResumePoint };

/** The task of an id. Refusal `task_not_found`: also for the task of another user. */
export async function findTask(sender: Sender, id: string, parts: HttpParts): Promise<FoundTask> {
  const { deps, closing: signal } = parts;
  const { conversation, turn } = parseTaskId(id);
  const row = await deps.store.find(sender, conversation, { signal });
  if (!row) throw notFound();
  try {
    const start = await startOfRun(row, { run: turn, last: undefined }, parts);
    return { row, conversation, turn, start };
  } catch (error) {
    if (error instanceof Refusal) throw notFound();
    throw error;
  }
}

function notFound(): Refusal {
  return new Refusal('task_not_found', 'task not found');
}

/** The state of a task, from the log. */
export async function readTask(
  { row, turn, start }: Pick<FoundTask, 'row' | 'turn' | 'start'>,
  { deps, closing: signal }: HttpParts,
): Promise<TaskState> {
  const state = new TaskState();
  const { since } = start.position;
  const from = afterBlock(toSeq(Math.max(0, since - 1)), Math.max(1, since));
  const place = { store: deps.store, signal };
  const history = await readHistory(row, { from, to: afterBlock(row.head, 1) }, place);
  for (const envelope of history) if (envelope.turn_id === turn) state.take(envelope);
  return state;
}
