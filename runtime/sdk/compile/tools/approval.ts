import { isJsonObject } from '../../../base/json.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import {
  approvalTimeoutMs,
  externalTimeoutMs,
  questionDetailCharsMax,
  questionTitleCharsMax,
  waitMsMax,
} from '../../../tools/limits.ts';
import type { PreCall, Question } from '../../../tools/ports/tool.ts';
import { cutText } from '../../../tools/text/cut-text.ts';
import type { Ask, ToolContext } from '../../define/context.ts';
import { runnerOf } from '../../define/runner.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import type { Mask } from '../host/mask.ts';
import { toJson } from '../validate/zod-schema.ts';

/** Whether a call may need an approval or a hand-off before the tool runs. */
export function needsPreCheck({ options, run }: ToolDefinition): boolean {
  const { approval = 'never' } = options;
  const kind = runnerOf(run)?.kind;
  return approval !== 'never' || kind === 'external' || kind === 'delegate';
}

/** The question for a person before this call. Throws the Refusal if `approval` refuses itself. */
export async function approvalQuestion(
  { id, options }: ToolDefinition,
  input: object,
  { ctx, mask }: { ctx: ToolContext; mask: Mask },
): Promise<Question | undefined> {
  const { approval = 'never' } = options;
  if (approval === 'never') return undefined;
  const verdict = approval === 'always' ? defaultQuestion(id) : await approval(input, ctx);
  if (isRefusal(verdict)) throw verdict;
  return verdict && toQuestion(verdict, mask);
}

/** The question as people and clients see it. */
export function toQuestion(
  { title, detail, remember = 'once', timeoutMs = approvalTimeoutMs }: Ask,
  mask: Mask,
): Question {
  return {
    title: cutText(mask.text(title), questionTitleCharsMax),
    ...(detail === undefined ? {} : { detail: cutText(mask.text(detail), questionDetailCharsMax) }),
    remember,
    timeoutMs: Math.min(timeoutMs, waitMsMax),
  };
}

function defaultQuestion(id: string): Ask {
  return { ask: true, title: `Run ${id}?` };
}

type RemoteWork = Pick<Extract<PreCall, { ok: true }>, 'external' | 'delegated'>;

/** The work for a client or another agent. Empty for a tool that runs here. */
export function remoteWork(
  { run, options }: ToolDefinition,
  input: object,
  mask: Mask,
): RemoteWork {
  const spec = runnerOf(run);
  if (spec?.kind !== 'external' && spec?.kind !== 'delegate') return {};
  const json = mask.json(toJson(input));
  const given = isJsonObject(json) ? json : {};
  if (spec.kind === 'external') {
    const { timeoutMs = externalTimeoutMs } = spec;
    return { external: { input: given, timeoutMs: Math.min(timeoutMs, waitMsMax) } };
  }
  // The agent has its own budgets, so each of its turns ends.
  const timeoutMs = Math.min(options.timeoutMs ?? waitMsMax, waitMsMax);
  const { agent, rounds } = spec;
  return {
    delegated: { input: given, timeoutMs, agent, ...(rounds === undefined ? {} : { rounds }) },
  };
}

/** Inside a program or another tool a person cannot be asked, because the turn cannot pause in the middle of a call. */
export function cannotAsk(id: string): Refusal {
  const why =
    'needs a person’s approval, and nobody is asked from inside a program or another tool';
  return new Refusal('denied', `${id} ${why}. Call it as an action of its own.`);
}

/** The refusal for a tool that a client runs. */
export function cannotHandOver(id: string): Refusal {
  const why = 'is performed by a client, which no program and no other tool can wait for';
  return new Refusal('denied', `${id} ${why}. Call it as an action of its own.`);
}

/** The refusal for a tool that delegates to another agent. */
export function cannotDelegate(id: string): Refusal {
  const why = 'is done by another agent, which no program and no other tool can wait for';
  return new Refusal('denied', `${id} ${why}. Call it as an action of its own.`);
}
