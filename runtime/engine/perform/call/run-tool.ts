import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { CallId, StreamName } from '../../../timeline/ids.ts';
import type { RoundView } from '../../../timeline/view.ts';
import { type CallRequest, runCall } from '../../../tools/calls/run-call.ts';
import type { CallContext, ExternalAnswer, Tool, ToolError } from '../../../tools/ports/tool.ts';
import { inDoubtNotice, isOutcomeUnknown } from '../../../tools/results/in-doubt.ts';
import { toResultDraft } from '../../../tools/results/result-draft.ts';
import { createTurnServices } from '../../../tools/services/turn-services.ts';
import { optionsOf, placeOf } from '../../agent/turn-data.ts';
import { agentKey, type VisibleAgent } from '../../agent/visible-agent.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import { callBudget } from './call-budget.ts';

/** The result of a call that did not run. */
export async function refusedResult(
  session: WorkerSession,
  action: ToolAction,
  error: ToolError,
): Promise<Draft> {
  const { tenant } = session.conversation.lease.row;
  const place = { tenant, turn: session.turn.id, call: action.call };
  const text = `${error.code}: ${error.message}`;
  return toResultDraft(place, { result: { ok: false, error }, text }, session.engine.blobs);
}

type CallPlace = {
  readonly action: { readonly call: CallId; readonly stream?: StreamName | undefined };
  readonly round: RoundView | undefined;
  readonly signal: AbortSignal;
};

export type ToolRun = CallPlace & {
  readonly action: ToolAction;
  readonly tool: Tool;
  /** The guards have admitted the call with this input. */
  readonly admitted: boolean;
  /** From the client that performed the call. */
  readonly answer?: ExternalAnswer;
  /** A dead owner had started it. */
  readonly repeated?: boolean;
};

/** Runs the call; all questions have been answered. Returns everything to append. */
export async function runTool(
  session: WorkerSession,
  { action, tool, round, signal, answer, admitted, repeated = false }: ToolRun,
): Promise<readonly Draft[]> {
  session.conversation.assertOwner();
  const { begun, blocks, result } = await runCall({
    tool,
    input: action.input,
    context: {
      ...callContext(session, { action, round, signal }),
      approved: action.call,
      ...(admitted ? { admitted: action.call } : {}),
      ...(answer ? { answer } : {}),
    },
    blobs: session.engine.blobs,
    repeated,
  });
  const unrepeatable = tool.spec.effects === 'unkeyed' && tool.spec.kind !== 'exec';
  return begun && unrepeatable && isOutcomeUnknown(result)
    ? [inDoubtDraft(session, action), ...blocks]
    : blocks;
}

/** For a call that must not be repeated and whose outcome is unknown. */
export function inDoubtDraft({ turn }: WorkerSession, { call, tool }: ToolAction): Draft {
  return inDoubtNotice({ turn: turn.id, call }, [{ id: call, tool, effects: 'unkeyed' }]);
}

/** Finds the outcome of a call whose owner died. A steer stops the search, but not the report. */
export function recoverCall(
  session: WorkerSession,
  running: ToolRun,
  find: NonNullable<Tool['recover']>,
): Promise<readonly Draft[]> {
  const { tool, signal } = running;
  const run: Tool['run'] = (_, context) => find(context, { signal });
  return runTool(session, {
    ...running,
    tool: { ...tool, run },
    signal: session.conversation.signal,
  });
}

export function callContext(
  session: WorkerSession,
  { action, round, signal }: CallPlace,
): CallRequest['context'] {
  const { engine, conversation, turn } = session;
  const { row } = conversation.lease;
  const scope = { tenant: row.tenant, project: row.project, user: row.user };
  const { call } = action;
  const place = { ...placeOf(turn), call };
  const code = codeOf(round, call);
  const { web_search: web } = optionsOf(turn);
  return {
    scope,
    conversation: row.id,
    ...place,
    key: call,
    signal,
    now: session.now,
    contextTokens: session.agent.context.maxTokens,
    view: conversation.view,
    ...(code ? { code } : {}),
    ...(engine.dispatch ? { dispatch: engine.dispatch } : {}),
    ...(action.stream === undefined ? {} : { stream: action.stream }),
    programs: { tools: session.agent.tools, ...session.agent.exec },
    ...(web ? { web } : {}),
    ...toolsetIn(session.agent, round),
    ...memoryOf(session),
    programCalls: session.ledger.programCalls,
    journal: conversation.callJournal(call),
    budget: callBudget(session, call),
    services: createTurnServices({
      scope,
      conversation: row.id,
      key: row.key,
      ...place,
      view: conversation.view,
      store: engine.store,
      ...(engine.embedder ? { embedder: engine.embedder } : {}),
      blobs: engine.blobs,
      signal,
      publish: (piece) => session.publisher.piece(place, piece),
      ledger: session.ledger,
      resolvers: session.resolvers,
    }),
  };
}

function memoryOf({ engine, agent }: WorkerSession): Pick<CallContext, 'memory'> {
  const { memory: port } = engine;
  return port ? { memory: { port, agent: agentKey(agent), scopes: agent.memory.scopes } } : {};
}

function toolsetIn({ toolset }: VisibleAgent, round: RoundView | undefined) {
  const [opened] = round?.blocks ?? [];
  const protocol = opened && dataOf('round.open', opened)?.protocol;
  return toolset ? { toolset: { ...toolset, isOffered: protocol === 'native-tools' } } : {};
}

/** The program written for this call. */
function codeOf(round: RoundView | undefined, call: CallId): CallContext['code'] {
  const block = round?.blocks.find((each) => each.type === 'react.code' && each.call === call);
  if (block?.text === undefined) return undefined;
  const data: JsonObject = isJsonObject(block.data) ? block.data : {};
  return {
    text: block.text,
    language: data['language'] === 'javascript' ? 'javascript' : 'python',
  };
}
