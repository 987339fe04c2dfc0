import type { JsonObject } from '../base/json.ts';
import type { Draft } from '../timeline/block.ts';
import { paths } from '../timeline/paths.ts';
import type { RoundView } from '../timeline/view.ts';
import { standing } from '../timeline/waits.ts';
import { considerCall } from '../tools/call.ts';
import type { ClientWork, Question, Tool, ToolError } from '../tools/tool.ts';
import type { ToolAction } from './actions.ts';
import { contextOf } from './perform.ts';
import type { Visit } from './visit.ts';

/** What stands between an intent and its call. `blocks` are appended with the intent. */
export type First = {
  readonly blocks: readonly Draft[];
  readonly waits?: 'approval' | 'external' | undefined;
  readonly error?: ToolError;
};

export const nothingFirst: First = { blocks: [] };

export type Considering = {
  readonly action: ToolAction;
  readonly tool: Tool | undefined;
  readonly round: RoundView | undefined;
  readonly signal: AbortSignal;
  /** Somebody has said yes to this very call. */
  readonly approved: boolean;
};

/**
 * Asks the tool what it wants before this call. It is asked before the intent is in the log, so that intent and question
 * come in one append: a call that is there without its question was not to wait, and has begun.
 */
export async function consider(
  visit: Visit,
  { action, tool, round, signal, approved }: Considering,
): Promise<First> {
  if (!tool?.consider) return nothingFirst;
  const context = {
    ...contextOf(visit, { action, round, signal }),
    ...(approved ? { approved: action.call } : {}),
  };
  const { considered, blocks } = await considerCall({ tool, input: action.input, context });
  if (!considered.ok) return { blocks, error: considered.error };
  const { external } = considered;
  const ask = approved ? undefined : considered.ask;
  if (ask) {
    const said = standing(visit.owned.view, { tool: tool.spec.id, turn: visit.turn.id });
    if (said === false) return { blocks, error: deniedBefore(tool.spec.id) };
    const question = { ...ask, input: shownInput(tool, action) };
    const request = approvalRequest(visit, action, question);
    if (said === undefined) return { blocks: [...blocks, request], waits: 'approval' };
  }
  if (!external) return { blocks };
  return { blocks: [...blocks, externalCall(visit, action, external)], waits: 'external' };
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
      deadline: deadlineIn(visit, timeoutMs),
    },
  };
}

function externalCall(
  visit: Visit,
  { call, tool }: ToolAction,
  { input, timeoutMs }: ClientWork,
): Draft {
  const { id: turn } = visit.turn;
  return {
    type: 'external.call',
    turn,
    author: 'system',
    call,
    path: paths.external(turn, 'call', call),
    data: { call, tool, input, deadline: deadlineIn(visit, timeoutMs) },
  };
}

function deadlineIn({ engine }: Visit, ms: number): string {
  return new Date(engine.clock.now() + ms).toISOString();
}
