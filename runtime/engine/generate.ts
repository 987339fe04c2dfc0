import { Cancelled } from '../base/signal.ts';
import type { ActionRules } from '../channels/rules.ts';
import { Foresight } from './foresight.ts';
import { outputTokensFinalize, outputTokensReserved, temperature } from './limits.ts';
import { Meter, type Metered } from './meter.ts';
import type { Phase } from './plan.ts';
import type { Model, ModelUsage } from './ports/model.ts';
import type { Prompt } from './prompt.ts';
import { createReplyReader, type Reply } from './read-reply.ts';
import type { Visit } from './visit.ts';

export type Generated = Reply &
  Metered & {
    readonly costUsd: number;
    readonly ms: number;
    readonly firstTokenMs: number | undefined;
  };

export type GenerateOptions = {
  readonly prompt: Prompt;
  readonly rules: ActionRules;
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

/** One model call, shown while it streams. A steer ends it early with what there is; other failures are thrown. */
export async function generate(visit: Visit, options: GenerateOptions): Promise<Generated> {
  const { clock } = visit.engine;
  const { agent, turn } = visit;
  const model = visit.engine.model(agent, 'decision');
  const foresight = new Foresight(agent, { view: visit.owned.view, turn: turn.id });
  const reader = createReplyReader({
    channels: agent.channels,
    rules: options.rules,
    place: { turn: turn.id, round: options.round },
    publisher: visit.publisher,
    resolve: (sid) => visit.owned.view.sources.find((row) => row.sid === sid),
    identified: (identity) => foresight.identified(identity),
  });
  const started = clock.monotonic();
  let firstTokenMs: number | undefined;
  const meter = new Meter(model, () => options.prompt.tokens);
  try {
    for await (const event of model.stream(toRequest(visit, options), { signal: options.signal })) {
      meter.take(event);
      if (event.kind !== 'text') continue;
      firstTokenMs ??= clock.monotonic() - started;
      reader.push(event.text);
    }
  } catch (error) {
    foresight.forget();
    if (!isSteer(options.signal)) throw error;
  }
  return {
    ...reader.end(),
    ...ending(model, meter.metered),
    ms: Math.round(clock.monotonic() - started),
    firstTokenMs: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs),
  };
}

function ending(model: Model, metered: Metered = unheard(model)) {
  const { usage, finish, estimated } = metered;
  return { usage, model: metered.model, costUsd: model.costUsd(usage), finish, estimated };
}

/** Stopped before its first word. */
function unheard({ id }: Model): Metered {
  return { usage: noUsage, model: id, finish: 'interrupted', estimated: false };
}

function toRequest(visit: Visit, { prompt, phase }: GenerateOptions) {
  return {
    role: 'decision' as const,
    system: prompt.system,
    parts: prompt.parts,
    tools: visit.agent.tools.map((tool) => tool.spec.id),
    maxOutputTokens: phase === 'finalize' ? outputTokensFinalize : outputTokensReserved,
    temperature,
  };
}

/** Whether the work was stopped by its user rather than by the world. */
export function isSteer(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Cancelled && signal.reason.why === 'steer';
}
