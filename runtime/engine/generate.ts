import { Cancelled } from '../base/signal.ts';
import { type ChannelSpec, declaredChannels } from '../channels/channel.ts';
import { createGates } from '../channels/gates.ts';
import { createPacketCollector, type Packet } from '../channels/packet.ts';
import type { ActionRules } from '../channels/rules.ts';
import { createScanner } from '../channels/scanner.ts';
import {
  generationCharsMax,
  outputTokensFinalize,
  outputTokensReserved,
  rawAnswerCharsMax,
  temperature,
} from './limits.ts';
import type { Phase } from './plan.ts';
import type { Model, ModelEvent, ModelUsage } from './ports/model.ts';
import type { Prompt } from './prompt.ts';
import { Speaker } from './speaker.ts';
import type { Visit } from './visit.ts';

export type Generated = {
  readonly packet: Packet;
  /** The beginning of the reply as it came, tags included. */
  readonly raw: string;
  /** Raw answers that clients have seen, by decision instance. */
  readonly answers: ReadonlyMap<number, string>;
  /** Streams of written files that clients have seen, by decision instance. */
  readonly written: ReadonlyMap<number, string>;
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
  const scanner = createScanner({ channels: channelsOf(agent.channels) });
  const collector = createPacketCollector();
  const speaker = new Speaker(visit.publisher, {
    place: { turn: turn.id, round: options.round },
    gates: createGates(options.rules),
    resolve: (sid) => visit.owned.view.sources.find((row) => row.sid === sid),
  });
  const started = clock.monotonic();
  let firstTokenMs: number | undefined;
  let chars = 0;
  let raw = '';
  let done: Extract<ModelEvent, { kind: 'done' }> | undefined;
  const take = (events: ReturnType<typeof scanner.push>) => {
    collector.push(events);
    for (const event of events) speaker.take(event);
  };
  try {
    for await (const event of model.stream(toRequest(visit, options), { signal: options.signal })) {
      if (event.kind === 'done') done = event;
      if (event.kind !== 'text') continue;
      firstTokenMs ??= clock.monotonic() - started;
      const room = generationCharsMax - chars;
      chars += event.text.length;
      if (raw.length < rawAnswerCharsMax) raw += event.text;
      take(scanner.push(event.text.slice(0, Math.max(0, room))));
    }
  } catch (error) {
    if (!isSteer(options.signal)) throw error;
  }
  take(scanner.end());
  return {
    packet: collector.packet(),
    raw,
    answers: speaker.answers,
    written: speaker.written,
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

function channelsOf(
  more: readonly { readonly id: string; readonly format: ChannelSpec['format'] }[],
) {
  return [...declaredChannels, ...more.map(({ id, format }) => ({ name: id, format }))];
}
