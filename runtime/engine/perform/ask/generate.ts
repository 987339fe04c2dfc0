import { Fault, isFault } from '../../../base/fault.ts';
import type { ReplyRules } from '../../../channels/reply/read-reply.ts';
import { offeredTools } from '../../agent/offer.ts';
import { finalizeMsMax, modelSilenceMsMax } from '../../limits.ts';
import { StreamWatch } from '../../model/stream-watch.ts';
import { type MeteredUsage, UsageMeter } from '../../model/usage-meter.ts';
import { leftMs } from '../../plan/budget.ts';
import type { Phase } from '../../plan/plan-ask.ts';
import type { Model, ModelUsage } from '../../ports/model.ts';
import type { GeneratedReply } from '../../reply/generated-reply.ts';
import { createReplyReader, type ReplyReader } from '../../reply/read-reply.ts';
import { isSteered, type WorkerSession } from '../../session/session.ts';
import { toModelRequest } from './model-request.ts';
import { Prewarm } from './prewarm.ts';
import type { Prompt } from './prompt.ts';

/** The model failed. Its partial output is not used, but it is charged. */
export type ModelFailure = {
  readonly fault: Fault;
  /** The stream broke off in the middle: a retry may succeed. */
  readonly brokeOff: boolean;
  /** Undefined: nothing of a reply was received. */
  readonly metered: MeteredUsage | undefined;
  readonly model: Model;
};

type GenerateOptions = {
  readonly prompt: Prompt;
  readonly rules: ReplyRules;
  readonly round: number;
  readonly phase: Phase;
  readonly signal: AbortSignal;
};

const noUsage: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/**
 * One model call, streamed to clients. A steer or the end of the turn's time ends it early and keeps the partial
 * reply. Faults that are not the model's are thrown.
 */
export async function generate(
  session: WorkerSession,
  options: GenerateOptions,
): Promise<GeneratedReply | ModelFailure> {
  const { clock } = session.engine;
  const { agent, turn } = session;
  const model = session.engine.model(agent, agent.decides);
  const prewarm = new Prewarm(agent, { view: session.conversation.view, turn: turn.id });
  const reader = readerFor(session, options, prewarm);
  const started = clock.monotonic();
  let firstTokenMs: number | undefined;
  const meter = new UsageMeter(model, () => options.prompt.tokens);
  using watch = new StreamWatch(clock, {
    signal: options.signal,
    leftMs: timeLeftMs(session, options),
  });
  const { signal } = watch;
  try {
    for await (const event of model.stream(toModelRequest(session, options.prompt), { signal })) {
      watch.noteActivity();
      meter.take(event);
      if (event.kind === 'begun' || event.kind === 'done') continue;
      firstTokenMs ??= clock.monotonic() - started;
      reader.push(event);
      if (reader.cannotBecomeLegal || reader.isFull) break;
    }
  } catch (error) {
    prewarm.cancel();
    const failed = failureOf(error, { watch, meter, model });
    if (failed) return failed;
    if (!isCutShort(options.signal, watch)) throw error;
  }
  return {
    ...reader.end(),
    ...ending(model, meter.metered),
    ...finishOf(reader),
    ms: Math.round(clock.monotonic() - started),
    firstTokenMs: rounded(firstTokenMs),
  };
}

function readerFor(
  session: WorkerSession,
  { rules, round, phase }: GenerateOptions,
  prewarm: Prewarm,
) {
  const { agent, turn, conversation, publisher } = session;
  return createReplyReader({
    channels: agent.channels,
    rules,
    names: offeredTools(agent).names,
    context: session,
    place: { turn: turn.id, round },
    publisher,
    resolve: (sid) => conversation.view.sources.find((row) => row.sid === sid),
    // In a finalize round only tools run that need no preparation.
    identified: (identity) => {
      if (phase === 'decision') prewarm.identified(identity);
    },
  });
}

type StreamState = {
  readonly watch: StreamWatch;
  readonly meter: UsageMeter;
  readonly model: Model;
};

/** Undefined: not a model failure. */
export function failureOf(
  error: unknown,
  { watch, meter, model }: StreamState,
): ModelFailure | undefined {
  const fault = watch.cause === 'silence' ? silenceFault() : error;
  if (!isFault(fault) || !/^(MODEL|SCRIPT)_/.test(fault.code)) return undefined;
  return {
    fault,
    brokeOff: fault.kind === 'transient' && meter.hasText,
    metered: meter.metered,
    model,
  };
}

function silenceFault(): Fault {
  return new Fault('MODEL_UNREACHABLE', {
    because: `the model sent nothing for ${modelSilenceMsMax} ms`,
  });
}

function timeLeftMs({ turn, budgets, engine }: WorkerSession, { phase }: GenerateOptions): number {
  const left = leftMs(turn, { wallMs: budgets.wallMs, now: engine.clock.now() });
  return phase === 'finalize' ? Math.max(left, finalizeMsMax) : left;
}

export function ending(model: Model, metered: MeteredUsage = noOutput(model)) {
  const { usage, finish, estimated, insteadOf } = metered;
  return {
    usage,
    model: metered.model,
    costUsd: model.costUsd(usage, metered.model),
    finish,
    estimated,
    ...(insteadOf ? { insteadOf } : {}),
  };
}

/** Stopped before the first output. */
function noOutput({ id }: Model): MeteredUsage {
  return { usage: noUsage, model: id, finish: 'interrupted', estimated: false };
}

/** The reader cut the reply off; each cause has its own notice. */
function finishOf({
  cannotBecomeLegal,
  isFull,
}: ReplyReader): Partial<Pick<GeneratedReply, 'finish'>> {
  if (cannotBecomeLegal) return { finish: 'violation' };
  return isFull ? { finish: 'length' } : {};
}

/** Stopped on purpose: the output received until then counts. */
export function isCutShort(signal: AbortSignal, { cause }: StreamWatch): boolean {
  return isSteered(signal) || cause === 'time';
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}
