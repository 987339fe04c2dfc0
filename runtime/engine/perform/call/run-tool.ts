import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { RoundView } from '../../../timeline/view.ts';
import { type CallRequest, runCall } from '../../../tools/calls/run-call.ts';
import type { CallContext, ExternalAnswer, Tool, ToolError } from '../../../tools/ports/tool.ts';
import { inDoubtNotice, isOutcomeUnknown } from '../../../tools/results/in-doubt.ts';
import { toResultDraft } from '../../../tools/results/result-draft.ts';
import { createTurnServices } from '../../../tools/services/turn-services.ts';
import { placeOf } from '../../agent/turn-data.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { Visit } from '../../session/session.ts';
import { budgetFor } from './call-budget.ts';

/** The result of a call that did not run. */
export async function refusedResult(
  visit: Visit,
  action: ToolAction,
  error: ToolError,
): Promise<Draft> {
  const { tenant } = visit.owned.lease.row;
  const place = { tenant, turn: visit.turn.id, call: action.call };
  const text = `${error.code}: ${error.message}`;
  return toResultDraft(place, { result: { ok: false, error }, text }, visit.engine.blobs);
}

type Placed = {
  readonly action: { readonly call: string; readonly stream?: string | undefined };
  readonly round: RoundView | undefined;
  readonly signal: AbortSignal;
};

export type Running = Placed & {
  readonly action: ToolAction;
  readonly tool: Tool;
  /** Guards have let it pass, with the input it has now. */
  readonly admitted: boolean;
  /** Of the client that performed it. */
  readonly answer?: ExternalAnswer;
  /** A dead owner had begun it. */
  readonly repeated?: boolean;
};

/** The call itself; nobody need be asked about it any more. What is returned is all there is to append. */
export async function perform(
  visit: Visit,
  { action, tool, round, signal, answer, admitted, repeated = false }: Running,
): Promise<readonly Draft[]> {
  visit.owned.assertOwner();
  const { begun, blocks, result } = await runCall({
    tool,
    input: action.input,
    context: {
      ...contextOf(visit, { action, round, signal }),
      approved: action.call,
      ...(admitted ? { admitted: action.call } : {}),
      ...(answer ? { answer } : {}),
    },
    blobs: visit.engine.blobs,
    repeated,
  });
  const unrepeatable = tool.spec.effects === 'unkeyed' && tool.spec.kind !== 'exec';
  return begun && unrepeatable && isOutcomeUnknown(result)
    ? [doubtOf(visit, action), ...blocks]
    : blocks;
}

/** A call that nobody may repeat and whose outcome nobody knows. */
export function doubtOf({ turn }: Visit, { call, tool }: ToolAction): Draft {
  return inDoubtNotice({ turn: turn.id, call }, [{ id: call, tool, effects: 'unkeyed' }]);
}

/** What came of a call whose owner died. A steer stops the search for it, never the telling. */
export function recover(
  visit: Visit,
  running: Running,
  find: NonNullable<Tool['recover']>,
): Promise<readonly Draft[]> {
  const { tool, signal } = running;
  const run: Tool['run'] = (_, context) => find(context, { signal });
  return perform(visit, { ...running, tool: { ...tool, run }, signal: visit.owned.signal });
}

export function contextOf(visit: Visit, { action, round, signal }: Placed): CallRequest['context'] {
  const { engine, owned, turn } = visit;
  const { row } = owned.lease;
  const scope = { tenant: row.tenant, project: row.project, user: row.user };
  const { call } = action;
  const place = { ...placeOf(turn), call };
  const code = codeOf(round, call);
  return {
    scope,
    conversation: row.id,
    ...place,
    key: call,
    signal,
    now: visit.now,
    contextTokens: visit.agent.context.maxTokens,
    view: owned.view,
    ...(code ? { code } : {}),
    ...(action.stream === undefined ? {} : { stream: action.stream }),
    programs: { tools: visit.agent.tools, ...visit.agent.exec },
    programCalls: visit.ledger.programCalls,
    journal: owned.journal(call),
    budget: budgetFor(visit, call),
    services: createTurnServices({
      scope,
      conversation: row.id,
      key: row.key,
      ...place,
      view: owned.view,
      store: engine.store,
      ...(engine.embedder ? { embedder: engine.embedder } : {}),
      blobs: engine.blobs,
      signal,
      publish: (piece) => visit.publisher.piece(place, piece),
      ledger: visit.ledger,
      resolvers: visit.resolvers,
    }),
  };
}

/** The program that was written for this call. */
function codeOf(round: RoundView | undefined, call: string): CallContext['code'] {
  const block = round?.blocks.find((each) => each.type === 'react.code' && each.call === call);
  if (block?.text === undefined) return undefined;
  const data: JsonObject = isJsonObject(block.data) ? block.data : {};
  return {
    text: block.text,
    language: data['language'] === 'javascript' ? 'javascript' : 'python',
  };
}
