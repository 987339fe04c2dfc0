import { addAbortListener } from 'node:events';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../base/json.ts';
import { Work } from '../../../base/signal.ts';
import { toSeq, toTurnId } from '../../../timeline/ids.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import type { Position } from '../../feed/cursor.ts';
import { startAt } from '../../feed/history.ts';
import type { Submission } from '../../intake/accept-event.ts';
import type { IntakeResult } from '../../intake/ack.ts';
import { followTurn } from '../follow-turn.ts';
import type { McpCaller } from './messages/caller.ts';
import { beginTriesMax, callTextCharsMax } from './messages/limits.ts';
import { toRpcError } from './messages/to-rpc-error.ts';

/** A call of a client that is on the log. */
export type BegunCall = {
  readonly row: ConversationRow;
  readonly turn: string;
  /** Right before the first event of its turn. */
  readonly start: Position;
};

export type CallRequest = {
  readonly name: string;
  readonly input: JsonObject;
  /** The same id again is the same call. */
  readonly message: string;
};

/** Accepts a call as a turn of its own, after the turns that its conversation has begun before. Throws ProtocolErrors. */
export async function beginCall(caller: McpCaller, request: CallRequest): Promise<BegunCall> {
  const { to, message } = deliveryOf(caller, request);
  const { intake } = caller.parts;
  const { signal } = caller;
  for (let tries = 0; tries < beginTriesMax; tries += 1) {
    await untilIdle(caller);
    // The same in every repetition of the request, so that each finds what the first one did.
    const message_id = tries === 0 ? request.message : `${request.message}-${tries}`;
    const taken = await intake.take(caller.sender, { ...message, message_id }, { signal, to });
    if (!taken.ack.ok) throw toRpcError(taken.ack.error);
    if (!(await isJoined(caller, taken))) return begun(caller, taken);
    await takeBack(caller, message_id);
  }
  throw toRpcError({ code: 'busy', message: 'the conversation is at work; try again later' });
}

type Delivery = {
  readonly to: Pick<Submission, 'agent' | 'call'>;
  readonly message: JsonObject;
};

function deliveryOf(
  { endpoint, bundle, conversation }: McpCaller,
  { name, input }: CallRequest,
): Delivery {
  const ids = { conversation_id: conversation };
  const agent = endpoint.agents.find(({ settings }) => settings.id === name)?.settings.id;
  if (agent !== undefined) {
    return { to: { agent: { bundle, agent } }, message: { ...ids, text: promptIn(input) } };
  }
  const tool = endpoint.tools.find(({ id }) => id === name)?.id;
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${name}`);
  }
  const call = { tool, input };
  const text = `${tool} ${JSON.stringify(input)}`.slice(0, callTextCharsMax).toWellFormed();
  return {
    to: { agent: { bundle, agent: endpoint.caller.id }, call },
    message: { ...ids, text, payload: call },
  };
}

/** The prompt of an agent is its first text. */
function promptIn(input: JsonObject): string {
  const { prompt = Object.values(input).find((value) => typeof value === 'string') } = input;
  if (typeof prompt === 'string' && prompt.trim() !== '') return prompt;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'prompt: a text is required');
}

/** A turn of a conversation begins when the turn before it has ended. */
async function untilIdle({ parts, sender, conversation, ...caller }: McpCaller): Promise<void> {
  using work = new Work(caller.signal);
  using _gone = addAbortListener(caller.gone, () => work.stop('shutdown'));
  const { signal } = work;
  for (;;) {
    const row = await parts.deps.store.find(sender, conversation, { signal });
    if (row?.openTurn === undefined) return;
    const start = startAt(row, 'now');
    await followTurn(parts.deps, { row, start, turn: row.openTurn }, { signal });
  }
}

/** Another turn began in between, and the call became an event of that turn. */
async function isJoined(
  { parts, signal }: McpCaller,
  { ack, from }: IntakeResult,
): Promise<boolean> {
  if (!ack.ok || !from || ack.status === 'started') return false;
  const [opening] = await parts.deps.store.read(from.row.key, {
    after: toSeq(from.start.seq),
    limit: 1,
    signal,
  });
  return opening?.type !== 'turn.open' || opening.turn !== toTurnId(ack.turn_id);
}

async function takeBack({ parts, sender, conversation, signal }: McpCaller, event: string) {
  const recalled = { conversation_id: conversation, event_id: event };
  await parts.intake.recall(sender, recalled, { signal });
}

async function begun(
  { parts, sender, conversation, signal }: McpCaller,
  { ack, from }: IntakeResult,
): Promise<BegunCall> {
  const row = await parts.deps.store.find(sender, conversation, { signal });
  if (!ack.ok || !from || !row)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'no conversation');
  return { row, turn: ack.turn_id, start: from.start };
}
