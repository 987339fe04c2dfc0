import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { id as idSchema } from '../../../client/protocol/request-schemas.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { parseInput } from '../../input/parse-input.ts';
import type { AgentName } from '../agent-name.ts';
import { answersOf } from '../langgraph/resume-command.ts';
import { type TakenMessage, takeMessage } from '../take-message.ts';
import { answerIn, messageOf, questionIn, type SendParams, sendParams } from './message-params.ts';
import { pushRefused } from './rpc.ts';
import { findTask, readTask } from './tasks.ts';

/** A message to an agent: it opens a task, joins an open one, or answers what one waits for. */
export async function sendMessage(
  context: Context<Env>,
  parts: HttpParts,
  { params, agent }: { params: unknown; agent: AgentName },
): Promise<TakenMessage> {
  const request = parseInput(sendParams, params ?? null);
  assertWithoutPush(request);
  const sent = messageOf(request);
  const { taskId, contextId } = request.message;
  if (taskId) return continueTask(context, parts, { taskId, sent });
  const conversation_id = contextId ? parseInput(idSchema, contextId) : parts.deps.ids.next('conv');
  const { message_id, text, data, attachments } = sent;
  return takeMessage(context, parts, {
    ...{ conversation_id, message_id, text, ...agent },
    ...(data === undefined ? {} : { payload: data }),
    ...(attachments.length > 0 ? { attachments } : {}),
  });
}

/** A client that asks to be called must not wait for a call that never comes. */
function assertWithoutPush({ configuration }: SendParams): void {
  const { taskPushNotificationConfig, pushNotificationConfig } = configuration ?? {};
  if (taskPushNotificationConfig || pushNotificationConfig) throw pushRefused();
}

type Continuation = { readonly taskId: string; readonly sent: ReturnType<typeof messageOf> };

async function continueTask(
  context: Context<Env>,
  parts: HttpParts,
  { taskId, sent }: Continuation,
): Promise<TakenMessage> {
  const task = await findTask(context.get('sender'), taskId, parts);
  const { row, turn } = task;
  const { message_id, text, attachments, kind } = sent;
  const names = { conversation_id: row.id, message_id };
  const { questions } = await readTask(task, parts);
  const named = questionIn(sent);
  const asked = questions.filter(({ id }) => named === undefined || id === named).slice(0, 1);
  if (asked.length > 0) {
    const [answer] = answersOf(answerIn(sent), asked);
    return takeMessage(context, parts, { ...names, ...answer });
  }
  if (row.openTurn !== turn)
    throw new Refusal('unsupported', 'the task has ended; send a message without its id');
  return takeMessage(context, parts, {
    ...{ ...names, kind, text, expected_turn_id: turn },
    ...(attachments.length > 0 ? { attachments } : {}),
  });
}
