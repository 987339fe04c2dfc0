import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import { findConversation } from '../../auth/find-conversation.ts';
import { type Position, toCursor } from '../../feed/cursor.ts';
import { startAt } from '../../feed/history.ts';
import { textOf } from '../../feed/wire-json.ts';
import { logLine, McpProgress } from '../../projections/mcp.ts';
import { followTurn } from '../follow-turn.ts';
import { decideApproval, elicitationOf } from './approvals.ts';
import { type BegunCall, beginCall } from './begin-call.ts';
import { resultOf } from './call-result.ts';
import type { McpCaller } from './messages/caller.ts';
import { parseEventId, toEventId } from './messages/stream-place.ts';

type Call = { readonly name: string; readonly input: JsonObject };
type Request = ServerContext['mcpReq'];
/** `from`: what follows is new to the client. */
type FollowedCall = BegunCall & { readonly from: Position };

/**
 * For clients of the protocol's version of 2026, whose streams cannot be resumed. The turn goes on without its client. A call that
 * waits for an approval asks a client that can ask its user; the client repeats the request with the answer.
 */
export async function callStateless(
  caller: McpCaller,
  call: Call,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { deps } = caller.parts;
  const begun = (await answered(caller, mcpReq)) ?? (await begin(caller, call, mcpReq));
  const token = mcpReq._meta?.progressToken;
  const progress = new McpProgress();
  const isQuestion = ({ type }: WireEnvelope) => canAsk(mcpReq) && type === 'chat.approval';
  const { row, turn, from } = begun;
  const end = await followTurn(
    deps,
    { row, turn, start: from },
    {
      signal: mcpReq.signal,
      until: isQuestion,
      each: (envelope) => {
        const news = progress.take(envelope);
        if (news === undefined) return;
        const line = logLine(envelope, news, 'debug');
        // A client that has gone misses it; the turn goes on. Each request names the level of its log.
        if (line) mcpReq.log(line.level, line.data, line.logger).catch(() => undefined);
        if (token === undefined) return;
        const params = { progressToken: token, ...news };
        mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    },
  );
  if (!end) throw new ProtocolError(ProtocolErrorCode.InternalError, 'the conversation has ended');
  return isQuestion(end)
    ? question(caller, begun, { name: call.name, end })
    : resultOf(caller, begun, { name: call.name, end });
}

const asking = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({ elicitation: z.looseObject({}) }),
});

function canAsk({ envelope }: Request): boolean {
  return asking.safeParse(envelope).success;
}

async function begin(
  caller: McpCaller,
  { name, input }: Call,
  { _meta: meta }: Request,
): Promise<FollowedCall> {
  const named = meta?.['timeloom/message_id'];
  const message = typeof named === 'string' ? named : caller.parts.deps.ids.next('msg');
  const begun = await beginCall(caller, { name, input, message });
  return { ...begun, from: begun.start };
}

/** The call that a repeated request answers. It gives no rights: its conversation must be one of the caller. */
async function answered(
  caller: McpCaller,
  { requestState, inputResponses = {} }: Request,
): Promise<FollowedCall | undefined> {
  const state = requestState<string>();
  if (state === undefined) return undefined;
  const place = parseEventId(state);
  if (place?.conversation === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'requestState: not of this server');
  }
  const { conversation } = place;
  const { parts, sender, signal } = caller;
  const row = await findConversation(parts.deps.store, sender, { conversation, signal });
  for (const [request, result] of Object.entries(inputResponses)) {
    await decideApproval({ ...caller, conversation }, request, result);
  }
  const [start, from] = [startAt(row, place.first), startAt(row, place.cursor)];
  return { row, turn: place.turn, start, from };
}

function question(
  caller: McpCaller,
  { row, turn, start }: BegunCall,
  { name, end: { data = {}, cursor } }: { name: string; end: WireEnvelope },
): InputRequiredResult {
  const place = { id: 0, name, turn, cursor, first: toCursor(row.id, start), seen: 0 };
  return inputRequired({
    inputRequests: { [textOf(data['request'])]: inputRequired.elicit(elicitationOf(caller, data)) },
    requestState: toEventId({ ...place, conversation: row.id }),
  });
}
