import { addAbortListener } from 'node:events';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { Work } from '../../base/signal.ts';
import type { Draft } from '../../timeline/block.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import { shortNames } from '../../timeline/short-names.ts';
import { execStopGraceMs, stopGraceMs } from '../limits.ts';
import type { CallServices } from '../ports/call-services.ts';
import type { CallContext, Tool, ToolError, ToolOutcome, ToolResult } from '../ports/tool.ts';
import { type TimeLimit, toError } from '../results/call-error.ts';
import { toPassableResult } from '../results/large-result.ts';
import { withPage } from '../results/page-result.ts';
import { toPreview, toText } from '../results/preview.ts';
import { resultCharsLeft, resultPath, toResultDraft } from '../results/result-draft.ts';
import { bindInput, invalidInput, noticePresets } from './call-input.ts';

export type CallRequest = {
  readonly tool: Tool;
  /** The input of the model, with presets filled in. */
  readonly input: JsonObject;
  readonly context: CallContext & { readonly services: CallServices };
  readonly blobs: BlobStore;
  /** Overrides the timeout of the tool. */
  readonly timeoutMs?: number;
  /** An earlier attempt began and its outcome is unknown, so this attempt must not report that nothing happened. */
  readonly repeated?: boolean;
  /** The input is data of a program, in which `ref:` has no special meaning. */
  readonly literal?: true;
  /** Hides the values of secrets in everything that is returned. */
  readonly mask?: (text: string) => string;
};

/** `blocks` are all blocks to append: those the call made, then its single `react.tool.result`. */
export type CompletedCall = {
  /** False: the tool did not run, so it had no effect. */
  readonly begun: boolean;
  readonly result: ToolResult;
  readonly preview: string;
  readonly blocks: readonly Draft[];
};

type Attempt = { readonly begun: boolean } & (
  | { readonly outcome: ToolOutcome }
  | { readonly error: ToolError }
);

/**
 * Runs one call, from its input to its result. Invalid input, refusals, faults, exceptions, timeouts and interrupts are
 * results; it throws only if a result that is too large for the log cannot be stored.
 */
export async function runCall(request: CallRequest): Promise<CompletedCall> {
  const { context, tool, blobs, mask = identity } = request;
  const { made, begun, blocks = [], preview, ...outcome } = await attemptAndCollect(request);
  const { result } = outcome;
  const names = shortNames(context.view);
  const text = toPreview(mask(preview ?? toText(result, names)), {
    limit: resultCharsLeft(tool.spec, context),
    path: names.path(resultPath(context.turn, context.call)),
    ret: preview === undefined ? result.ret : undefined,
  });
  const place = { tenant: context.scope.tenant, turn: context.turn, call: context.call };
  const draft = await toResultDraft(place, { ...outcome, text }, blobs);
  return { begun, result, preview: text, blocks: [...made, ...blocks, draft] };
}

export type NestedRequest = Omit<CallRequest, 'context' | 'blobs'> & {
  readonly context: Omit<CallContext, 'code' | 'stream' | 'callTool'>;
  /** The id that the program gave its call; clients see it. */
  readonly id: string;
};

/**
 * A call made by another call, with its own key. Only the outer call gets its result. The blocks it leaves (files,
 * sources, pages, notices) are appended with the outer call.
 */
export async function runNestedCall({ id, ...request }: NestedRequest): Promise<ToolResult> {
  const { call, signal, services: outer } = request.context;
  const services = outer.nested(call, { signal, id });
  const context = { ...request.context, services };
  const {
    made,
    result,
    blocks = [],
  } = await attemptAndCollect({ ...request, literal: true, context });
  outer.keep([...made, ...blocks].filter(({ type }) => type !== 'react.tool.progress'));
  return result;
}

async function attemptAndCollect(
  request: Omit<CallRequest, 'blobs'>,
): Promise<ToolOutcome & { readonly made: readonly Draft[]; readonly begun: boolean }> {
  const attempt = await attemptCall(request);
  const made = request.context.services.take();
  return { ...toOutcome(attempt, made), made, begun: attempt.begun };
}

async function attemptCall(request: Omit<CallRequest, 'blobs'>): Promise<Attempt> {
  const { tool, context, repeated = false, mask = identity } = request;
  const limit = limitOf(request);
  using work = new Work(context.signal, { deadlineMs: limit.ms });
  let begun = repeated;
  try {
    work.signal.throwIfAborted();
    const bound = await bindInput(request);
    if (!bound.ok) return { begun, error: bound.error };
    const parsed = tool.parse(bound.input);
    if (!parsed.ok) return { begun, error: invalidInput(parsed.violations) };
    noticePresets(parsed, request);
    begun = true;
    const running = tool.run(parsed.input, { ...context, signal: work.signal });
    const graceMs = tool.spec.kind === 'exec' ? execStopGraceMs : stopGraceMs;
    const outcome = await settleOrStop(running, { signal: work.signal, graceMs });
    const { call, services } = context;
    const result = await toPassableResult(outcome.result, { call, services, mask });
    const blocks = [...bound.notices, ...(outcome.blocks ?? [])];
    const whole = { ...outcome, result: maskError(result, mask), blocks };
    return { begun, outcome: request.literal ? whole : await asShown(whole, request) };
  } catch (error) {
    const stopped = work.signal.aborted;
    return { begun, error: toError(error, { request, limit, begun, stopped, mask }) };
  }
}

function asShown(
  outcome: ToolOutcome,
  { tool: { spec }, context: { call, services, view } }: Omit<CallRequest, 'blobs'>,
): Promise<ToolOutcome> {
  return withPage(outcome, { spec, call, services, names: shortNames(view) });
}

/**
 * The timeout of the tool, or the time left in the turn if that is less. The limits of a program already include the
 * time of its turn. A call that resolves a doubt after the turn's time is used up gets the timeout of the tool.
 */
function limitOf({ tool, context, timeoutMs }: Omit<CallRequest, 'blobs'>): TimeLimit {
  const { kind, timeoutMs: own } = tool.spec;
  const ms = timeoutMs ?? own;
  const leftMs = kind === 'exec' ? 0 : (context.budget?.leftMs ?? 0);
  return leftMs > 0 && leftMs < ms ? { ms: leftMs, ofTurn: true } : { ms, ofTurn: false };
}

/** Waits for the call; after an abort, only for the grace period. Later attempts of the call to use its services fail because they are closed. */
export function settleOrStop<T>(
  running: Promise<T>,
  { signal, graceMs }: { signal: AbortSignal; graceMs: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const tie = addAbortListener(signal, () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    });
    void running.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      tie[Symbol.dispose]();
    });
  });
}

/** A call that broke shows what it had yielded until then. An expected failure speaks for itself. */
function toOutcome(attempt: Attempt, made: readonly Draft[]): ToolOutcome {
  const outcome: ToolOutcome =
    'error' in attempt ? { result: { ok: false, error: attempt.error } } : attempt.outcome;
  const { result } = outcome;
  if (result.ok || result.ret !== undefined || !isBroken(result.error)) return outcome;
  const yielded = yieldedIn(made);
  if (yielded.length === 0) return outcome;
  return { ...outcome, result: { ...result, ret: { yielded: [...yielded] } } };
}

/** Stopped, failed unexpectedly, or ended by a fault, whose code is in upper case. */
function isBroken({ code }: ToolError): boolean {
  return ['interrupted', 'timeout', 'tool_failed'].includes(code) || /^[A-Z_]+$/.test(code);
}

function maskError(result: ToolResult, mask: (text: string) => string): ToolResult {
  if (result.ok) return result;
  return { ...result, error: { ...result.error, message: mask(result.error.message) } };
}

/** The steps that the call showed. A step that continues the one before is one with it. */
function yieldedIn(made: readonly Draft[]): readonly Json[] {
  const steps: JsonObject[] = [];
  for (const { type, text = '', data } of made) {
    if (type !== 'react.tool.progress') continue;
    const { n: _, append, ...facts } = isJsonObject(data) ? data : {};
    const before = append === true ? steps.pop() : undefined;
    const whole = [before?.['text'] ?? '', text].join('');
    steps.push({ ...before, ...(whole === '' ? {} : { text: whole }), ...facts });
  }
  return steps;
}

export function identity(text: string): string {
  return text;
}
