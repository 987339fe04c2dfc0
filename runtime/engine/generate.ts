import { Cancelled } from '../base/signal.ts';
import type { ActionRules } from '../channels/rules.ts';
import { Foresight } from './foresight.ts';
import { outputTokensFinalize, outputTokensReserved, temperature } from './limits.ts';
import type { Phase } from './plan.ts';
import type { Model, ModelEvent, ModelUsage } from './ports/model.ts';
import type { Prompt } from './prompt.ts';
import { createReplyReader, type Reply } from './read-reply.ts';
import type { Visit } from './visit.ts';

export type Generated = Reply & {
  readonly usage: ModelUsage;
  readonly model: string;
  readonly costUsd: number;
  readonly finish: Extract<ModelEvent, { kind: 'done' }>['finish'] | 'interrupted';
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
  let done: Extract<ModelEvent, { kind: 'done' }> | undefined;
  try {
    for await (const event of model.stream(toRequest(visit, options), { signal: options.signal })) {
      if (event.kind === 'done') done = event;
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
    ...ending(model, done),
    ms: Math.round(clock.monotonic() - started),
    firstTokenMs: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs),
  };
}

function ending(model: Model, done: Extract<ModelEvent, { kind: 'done' }> | undefined) {
  const usage = done?.usage ?? noUsage;
  return {
    usage,
    model: done?.model ?? model.id,
    costUsd: model.costUsd(usage),
    finish: done?.finish ?? ('interrupted' as const),
  };
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
