import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { standing } from '../../../timeline/close/waits.ts';
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
import type { ToolAction } from '../../plan/actions.ts';
import type { Visit } from '../../session/session.ts';
import { toAgentCall, undelegable } from '../delegate/delegate.ts';
import { contextOf } from './run-tool.ts';

/** What stands between an intent and its call. `blocks` are appended with the intent. */
export type First = {
  readonly blocks: readonly Draft[];
  readonly waits?: 'approval' | 'external' | 'agent' | undefined;
  readonly error?: ToolError;
  /** What guards said, where anybody asked them. */
  readonly admission?: Admission;
};

export const nothingFirst: First = { blocks: [] };

export type Considering = {
  readonly action: ToolAction;
  readonly tool: Tool | undefined;
  readonly round: RoundView | undefined;
  readonly signal: AbortSignal;
  /** Somebody has said yes to this very call. */
  readonly approved: boolean;
  /** Guards have let it pass, with this input. */
  readonly admitted?: boolean;
};

/**
 * Asks the hooks, and then the tool, what they want before this call. They are asked before the intent is in the log, so that intent and question
 * come in one append: a call that is there without its question was not to wait, and has begun.
 */
export async function consider(
  visit: Visit,
  { tool, action: said, ...considering }: Considering,
): Promise<First> {
  if (!tool) return nothingFirst;
  const { approved } = considering;
  const admitted = await admit(visit, { tool, action: said, ...considering });
  const { admission } = admitted;
  if (admission?.ok === false) return { ...admitted, error: admission.error };
  const action = admission ? { ...said, input: admission.input } : said;
  const wanted = await ofTool(visit, { tool, action, ...considering });
  const first = { ...admitted, blocks: [...admitted.blocks, ...wanted.blocks] };
  const { considered } = wanted;
  if (!considered.ok) return { ...first, error: considered.error };
  const ask = approved ? undefined : (considered.ask ?? admission?.ask);
  const next = handedTo(visit, action, { considered, first });
  if (!ask || next.error) return next;
  const before = standing(visit.owned.view, { tool: tool.spec.id, turn: visit.turn.id });
  if (before === false) return { ...first, error: deniedBefore(tool.spec.id) };
  if (before) return next;
  const question = { ...ask, input: shownInput(tool, action) };
  return withBlock(first, approvalRequest(visit, action, question), 'approval');
}

function withBlock(first: First, block: Draft, waits: First['waits']): First {
  return { ...first, blocks: [...first.blocks, block], waits };
}

type Handing = {
  readonly considered: Extract<PreCall, { ok: true }>;
  readonly first: First;
};

/** To a client or another agent, where the tool does not run here. */
function handedTo(visit: Visit, action: ToolAction, { considered, first }: Handing): First {
  const { external, delegated } = considered;
  if (external) return withBlock(first, externalCall(visit, action, external), 'external');
  if (!delegated) return first;
  const error = undelegable(visit, delegated);
  if (error) return { ...first, error };
  return withBlock(first, toAgentCall(visit, action, delegated), 'agent');
}

type Asked = Considering & { readonly tool: Tool };

async function admit(visit: Visit, asked: Asked): Promise<Pick<First, 'admission' | 'blocks'>> {
  const { tool, action, admitted } = asked;
  if (!tool.admit || admitted) return nothingFirst;
  const context = contextFor(visit, asked);
  const request = { tool, input: action.input, context };
  const { admission, blocks } = await admitCall(request, { edited: asked.approved });
  return { blocks, ...(admission ? { admission: keptInput(admission, asked) } : {}) };
}

/** What was only mended stays on the log as the model wrote it. */
function keptInput(admission: Admission, { tool, action }: Asked): Admission {
  if (!admission.ok) return admission;
  const parsed = tool.parse(action.input);
  const isMended = parsed.ok && isDeepStrictEqual(parsed.input, admission.input);
  return isMended ? { ...admission, input: action.input } : admission;
}

function ofTool(visit: Visit, asked: Asked): ReturnType<typeof considerCall> {
  const { tool, action } = asked;
  return considerCall({ tool, input: action.input, context: contextFor(visit, asked) });
}

function contextFor(visit: Visit, { action, round, signal, approved }: Asked) {
  const context = contextOf(visit, { action, round, signal });
  return { ...context, ...(approved ? { approved: action.call } : {}) };
}

/** As it was mended, without what the model can neither see nor set. */
function shownInput(tool: Tool, { input }: ToolAction): JsonObject {
  const parsed = tool.parse(input);
  return parsed.ok ? parsed.input : input;
}

function deniedBefore(tool: string): ToolError {
  const message = `The user has said no to ${tool} for longer than one call. ${decided}`;
  return { code: 'denied', message, retryable: false };
}

/** What a model must know of a no. */
export const decided =
  'That is their decision: do not ask for the same in other words; go on without it, or say what it would take.';

function approvalRequest(
  visit: Visit,
  { call, tool }: ToolAction,
  { title, detail, remember, timeoutMs, input }: Question & { readonly input: JsonObject },
): Draft {
  const { id: turn } = visit.turn;
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
      deadline: visit.deadlineIn(timeoutMs),
    },
  };
}

function externalCall(
  visit: Visit,
  { call, tool }: ToolAction,
  { input, timeoutMs }: ExternalCall,
): Draft {
  const { id: turn } = visit.turn;
  return {
    type: 'external.call',
    turn,
    author: 'system',
    call,
    path: paths.external(turn, 'call', call),
    data: { call, tool, input, deadline: visit.deadlineIn(timeoutMs) },
  };
}
