import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { id as idSchema } from '../../../client/protocol/request-schemas.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { parseInput } from '../../input/parse-input.ts';
import { agentNamed } from '../agent-name.ts';
import { type TakenMessage, takeMessage } from '../take-message.ts';
import { answersOf } from './resume-command.ts';
import { inputOf, type RunRequest } from './run-request.ts';
import { findThread, readState } from './thread.ts';

/** Begins a run: a message of a person, or the answers to what its thread waits for. */
export async function beginRun(
  context: Context<Env>,
  parts: HttpParts,
  request: RunRequest,
): Promise<TakenMessage> {
  const agent = agentNamed(parts.deps.bundles, request.assistant_id);
  if (request.command !== null && request.command !== undefined) {
    return resumeRun(context, parts, request.command);
  }
  const { message_id, text, attachments } = inputOf(request.input);
  const conversation_id = threadIn(context) ?? parts.deps.ids.next('conv');
  const message = {
    ...{ conversation_id, text, message_id: message_id ?? parts.deps.ids.next('msg') },
    ...(attachments.length > 0 ? { attachments } : {}),
  };
  const strategy = await strategyOf(request, { context, parts, conversation: conversation_id });
  return takeMessage(context, parts, { ...message, ...(strategy === 'steer' ? steer : agent) });
}

const steer = { kind: 'steer' };

function threadIn({ req }: Context<Env>): string | undefined {
  const named = req.param('thread');
  return named === undefined ? undefined : parseInput(idSchema, named);
}

type Place = { context: Context<Env>; parts: HttpParts; conversation: string };

/** While a turn is open, a message joins it, or stops what it does. Refusal `conflict`. */
async function strategyOf(
  { multitask_strategy: strategy }: RunRequest,
  { context, parts, conversation }: Place,
): Promise<'prompt' | 'steer'> {
  if (strategy === 'rollback') {
    const message = 'multitask_strategy: rollback is not supported, because a log keeps everything';
    throw new Refusal('invalid_input', message);
  }
  if (strategy !== 'reject' && strategy !== 'interrupt') return 'prompt';
  const { deps, closing: signal } = parts;
  const row = await deps.store.find(context.get('sender'), conversation, { signal });
  if (row?.openTurn === undefined) return 'prompt';
  if (strategy === 'interrupt') return 'steer';
  throw new Refusal('conflict', `thread ${conversation} is busy`);
}

async function resumeRun(
  context: Context<Env>,
  parts: HttpParts,
  command: NonNullable<RunRequest['command']>,
): Promise<TakenMessage> {
  if (!('resume' in command)) {
    throw new Refusal('invalid_input', 'command: only resume is supported');
  }
  const row = await findThread(context, parts);
  const { interrupts } = await readState(row, parts);
  let taken: TakenMessage | undefined;
  for (const { kind, payload } of answersOf(command.resume, interrupts)) {
    const message_id = parts.deps.ids.next('msg');
    taken = await takeMessage(context, parts, {
      conversation_id: row.id,
      message_id,
      kind,
      payload,
    });
  }
  if (!taken)
    throw new Refusal('invalid_input', 'command.resume: names no interrupt of the thread');
  return taken;
}
