import { outputTokensOf } from '../../agent/reserved-tokens.ts';
import { finalizeMsMax, temperature } from '../../limits.ts';
import { StreamWatch } from '../../model/stream-watch.ts';
import { UsageMeter } from '../../model/usage-meter.ts';
import { leftMs } from '../../plan/budget.ts';
import type { GeneratedAnswer } from '../../reply/answer-blocks.ts';
import { createAnswerReader } from '../../reply/answer-reader.ts';
import type { WorkerSession } from '../../session/session.ts';
import { ending, failureOf, isCutShort, type ModelFailure } from '../ask/generate.ts';
import type { Prompt } from '../ask/prompt.ts';

type AnswerOptions = {
  readonly prompt: Prompt;
  readonly round: number;
  /** The answer is judged before it is shown. */
  readonly held: boolean;
  readonly signal: AbortSignal;
};

/** One model call whose text streams to clients as the answer. Ends early like any generation, and keeps its part. */
export async function generateAnswer(
  session: WorkerSession,
  { prompt, round, held, signal: stop }: AnswerOptions,
): Promise<GeneratedAnswer | ModelFailure> {
  const { agent, turn, budgets, publisher, conversation } = session;
  const { clock, ...engine } = session.engine;
  const model = engine.model(agent, 'answer');
  const resolve = (sid: number) => conversation.view.sources.find((row) => row.sid === sid);
  const place = { turn: turn.id, round };
  const reader = createAnswerReader({ place, publisher, resolve, held });
  const meter = new UsageMeter(model, () => prompt.tokens);
  const left = leftMs(turn, { wallMs: budgets.wallMs, now: clock.now() });
  using watch = new StreamWatch(clock, { signal: stop, leftMs: Math.max(left, finalizeMsMax) });
  const { signal } = watch;
  const started = clock.monotonic();
  let firstTokenMs: number | undefined;
  try {
    for await (const event of model.stream(requestOf(session, prompt), { signal })) {
      watch.noteActivity();
      meter.take(event);
      if (event.kind !== 'text') continue;
      firstTokenMs ??= Math.round(clock.monotonic() - started);
      reader.push(event.text);
      if (reader.isFull) break;
    }
  } catch (error) {
    const failed = failureOf(error, { watch, meter, model });
    if (failed) return failed;
    if (!isCutShort(stop, watch)) throw error;
  }
  return {
    ...reader.end(),
    ...ending(model, meter.metered),
    ...(reader.isFull ? { finish: 'length' as const } : {}),
    ms: Math.round(clock.monotonic() - started),
    firstTokenMs,
  };
}

function requestOf({ agent, conversation }: WorkerSession, { system, content }: Prompt) {
  return {
    role: 'answer' as const,
    system,
    ...content,
    conversation: conversation.lease.row.id,
    maxOutputTokens: outputTokensOf(agent),
    temperature,
  };
}
