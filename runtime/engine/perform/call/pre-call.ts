import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { rememberedDecision } from '../../../timeline/close/waits.ts';
import { paths } from '../../../timeline/paths.ts';
import type { RoundView } from '../../../timeline/view.ts';
import { admitCall, considerCall } from '../../../tools/calls/call-admission.ts';
import type {
  Admission,
  ExternalCall,
  PreCall,
  Question,
  Tool,
  ToolError,
} from '../../../tools/ports/tool.ts';
import { isClientTool } from '../../agent/client-tools.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import { handToAgents } from '../delegate/hand-to-agents.ts';
import { callContext } from './run-tool.ts';

/** What must happen between an intent and its call. `blocks` are appended with the intent. */
export type PreCallResult = {
  readonly blocks: readonly Draft[];
  readonly waits?: 'approval' | 'external' | 'agent' | undefined;
  readonly error?: ToolError;
  /** The verdict of the guards, if they ran. */
  readonly admission?: Admission;
};

export const emptyPreCall: PreCallResult = { blocks: [] };

type PreCallInput = {
  readonly action: ToolAction;
  readonly tool: Tool | undefined;
  readonly round: RoundView | undefined;
  readonly signal: AbortSignal;
  /** The user has approved this very call. */
  readonly approved: boolean;
  /** The guards have admitted the call with this input. */
  readonly admitted?: boolean;
};

/**
 * Asks the hooks, and then the tool, what they require before this call. They run before the intent is on the log, so
 * that intent and question share one append: a call that is on the log without a question did not have to wait, and
 * has started.
 */
export async function checkBeforeCall(
  session: WorkerSession,
  { tool, action: requested, ...input }: PreCallInput,
): Promise<PreCallResult> {
  if (!tool) return emptyPreCall;
  const { approved } = input;
  const admitted = await runGuards(session, { tool, action: requested, ...input });
  const { admission } = admitted;
  if (admission?.ok === false) return { ...admitted, error: admission.error };
  const action = admission ? { ...requested, input: admission.input } : requested;
  const fromTool = await considerTool(session, { tool, action, ...input });
  const preCall = { ...admitted, blocks: [...admitted.blocks, ...fromTool.blocks] };
  const { considered } = fromTool;
  if (!considered.ok) return { ...preCall, error: considered.error };
  const ask = approved ? undefined : (considered.ask ?? admission?.ask);
  const next = handOff(session, action, { considered, preCall });
  if (!ask || next.error) return next;
  const earlier = rememberedDecision(session.conversation.view, {
    tool: tool.spec.id,
    turn: session.turn.id,
  });
  if (earlier === false) return { ...preCall, error: standingDenial(tool.spec.id) };
  if (earlier) return next;
  const question = { ...ask, input: shownInput(tool, action) };
  return withBlock(preCall, approvalRequest(session, action, question), 'approval');
}

function withBlock(
  preCall: PreCallResult,
  block: Draft,
  waits: PreCallResult['waits'],
): PreCallResult {
  return { ...preCall, blocks: [...preCall.blocks, block], waits };
}

type HandOffInput = {
  readonly considered: Extract<PreCall, { ok: true }>;
  readonly preCall: PreCallResult;
};

/** Hands the call to a client or to other agents if the tool does not run here. */
function handOff(
  session: WorkerSession,
  action: ToolAction,
  { considered, preCall }: HandOffInput,
): PreCallResult {
  const { external } = considered;
  if (external) return withBlock(preCall, externalCall(session, action, external), 'external');
  const handed = handToAgents(session, action, considered);
  if (!handed) return preCall;
  if ('error' in handed) return { ...preCall, error: handed.error };
  return withBlock(preCall, handed.block, 'agent');
}

type ToolInput = PreCallInput & { readonly tool: Tool };

async function runGuards(
  session: WorkerSession,
  toolInput: ToolInput,
): Promise<Pick<PreCallResult, 'admission' | 'blocks'>> {
  const { tool, action, admitted } = toolInput;
  if (!tool.admit || admitted) return emptyPreCall;
  const context = contextFor(session, toolInput);
  const request = { tool, input: action.input, context };
  const { admission, blocks } = await admitCall(request, { edited: toolInput.approved });
  return { blocks, ...(admission ? { admission: loggedInput(admission, toolInput) } : {}) };
}

/** If the input was only repaired, the log keeps it as the model wrote it. */
function loggedInput(admission: Admission, { tool, action }: ToolInput): Admission {
  if (!admission.ok) return admission;
  const parsed = tool.parse(action.input);
  const isMended = parsed.ok && isDeepStrictEqual(parsed.input, admission.input);
  return isMended ? { ...admission, input: action.input } : admission;
}

function considerTool(
  session: WorkerSession,
  toolInput: ToolInput,
): ReturnType<typeof considerCall> {
  const { tool, action } = toolInput;
  return considerCall({ tool, input: action.input, context: contextFor(session, toolInput) });
}

function contextFor(session: WorkerSession, { action, round, signal, approved }: ToolInput) {
  const context = callContext(session, { action, round, signal });
  return { ...context, ...(approved ? { approved: action.call } : {}) };
}

/** The repaired input, without fields that the model can neither see nor set. */
function shownInput(tool: Tool, { input }: ToolAction): JsonObject {
  const parsed = tool.parse(input);
  return parsed.ok ? parsed.input : input;
}

function standingDenial(tool: string): ToolError {
  const message = `The user has said no to ${tool} for longer than one call. ${denialAdvice}`;
  return { code: 'denied', message, retryable: false };
}

/** What a model must know about a denial. */
export const denialAdvice =
  'That is their decision: do not ask for the same in other words; go on without it, or say what it would take.';

function approvalRequest(
  session: WorkerSession,
  { call, tool }: ToolAction,
  { title, detail, remember, timeoutMs, input }: Question & { readonly input: JsonObject },
): Draft {
  const { id: turn } = session.turn;
  return {
    type: 'approval.request',
    turn,
    author: 'system',
    call,
    path: paths.approval(turn, 'request', call),
    data: {
      request: call,
      call,
      tool,
      title,
      ...(detail === undefined ? {} : { detail }),
      input,
      remember,
      deadline: session.deadlineIn(timeoutMs),
    },
  };
}

function externalCall(
  session: WorkerSession,
  { call, tool }: ToolAction,
  { input, timeoutMs, task }: ExternalCall,
): Draft {
  const { id: turn } = session.turn;
  return {
    type: 'external.call',
    turn,
    author: 'system',
    call,
    path: paths.external(turn, 'call', call),
    data: {
      ...{ call, tool, input, deadline: session.deadlineIn(timeoutMs) },
      ...(task === undefined ? handedOver(session, tool) : { task }),
    },
  };
}

/** The sender of a function waits for its calls; for other external tools the agent decides. */
function handedOver({ agent }: WorkerSession, tool: string): JsonObject {
  const isOver = agent.policies.externalTools === 'hand_off' && !isClientTool(tool);
  return isOver ? { handed_off: true } : {};
}
