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

/** Whether anything may come between a call of the tool and its run. */
export function needsPreCheck({ options, run }: ToolDefinition): boolean {
  const { approval = 'never' } = options;
  const kind = runnerOf(run)?.kind;
  return approval !== 'never' || kind === 'external' || kind === 'delegate';
}

/** What a person is asked before this call. Throws the Refusal of an `approval` that says no itself. */
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

/** As people and clients are asked it. */
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

/** What a client or another agent gets to do; nothing of a tool that runs here. */
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
  // The agent has budgets of its own, and each of its turns ends.
  const timeoutMs = Math.min(options.timeoutMs ?? waitMsMax, waitMsMax);
  const { agent, rounds } = spec;
  return {
    delegated: { input: given, timeoutMs, agent, ...(rounds === undefined ? {} : { rounds }) },
  };
}

/** Inside a program or another tool nobody can be asked: the turn would have to stand still in the middle of a call. */
export function cannotAsk(id: string): Refusal {
  const why =
    'needs a person’s approval, and nobody is asked from inside a program or another tool';
  return new Refusal('denied', `${id} ${why}. Call it as an action of its own.`);
}

/** The same for a tool that a client performs. */
export function cannotHandOver(id: string): Refusal {
  const why = 'is performed by a client, which no program and no other tool can wait for';
  return new Refusal('denied', `${id} ${why}. Call it as an action of its own.`);
}

/** The same for a tool whose work another agent does. */
export function cannotDelegate(id: string): Refusal {
  const why = 'is done by another agent, which no program and no other tool can wait for';
  return new Refusal('denied', `${id} ${why}. Call it as an action of its own.`);
}
