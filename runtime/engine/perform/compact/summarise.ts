import { isFault } from '../../../base/fault.ts';
import { Cancelled } from '../../../base/signal.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { SummaryPrompt } from '../../../timeline/compact/summary-prompt.ts';
import { countTokens } from '../../../timeline/tokens.ts';
import { summaryDeadlineMs, temperature } from '../../limits.ts';
import { StreamWatch } from '../../model/stream-watch.ts';
import { toWireCall } from '../../model/usage.ts';
import { UsageMeter } from '../../model/usage-meter.ts';
import type { WorkerSession } from '../../session/session.ts';

type Summary = {
  /** Undefined: the model was not available, or was stopped. */
  readonly text: string | undefined;
  /** The usage, to be appended to the turn: its budget pays. */
  readonly usage: readonly Draft[];
};

/** One question to the summary model. A steer, a deadline, a model fault or silence ends it without a text. */
export async function summarise(
  session: WorkerSession,
  brief: SummaryPrompt,
  outputTokensMax: number,
): Promise<Summary> {
  using work = session.interruptible(session.turn.rounds.at(-1)?.asOf ?? session.turn.openSeq);
  const limits = { signal: work.signal, leftMs: summaryDeadlineMs };
  using watch = new StreamWatch(session.engine.clock, limits);
  return await ask(session, { brief, outputTokensMax, watch });
}

type SummaryRequest = {
  readonly brief: SummaryPrompt;
  readonly outputTokensMax: number;
  readonly watch: StreamWatch;
};

async function ask(
  session: WorkerSession,
  { brief, outputTokensMax, watch }: SummaryRequest,
): Promise<Summary> {
  const { clock, log } = session.engine;
  const model = session.engine.model(session.agent, 'summary');
  const started = clock.monotonic();
  const { system } = brief;
  const request = {
    role: 'summary' as const,
    conversation: session.conversation.lease.row.id,
    system,
    parts: [{ kind: 'text', text: brief.text } as const],
    maxOutputTokens: outputTokensMax,
    temperature,
  };
  const meter = new UsageMeter(model, () => countTokens(system) + countTokens(brief.text));
  let text = '';
  try {
    for await (const event of model.stream(request, { signal: watch.signal })) {
      watch.noteActivity();
      meter.take(event);
      if (event.kind === 'text') text += event.text;
    }
  } catch (error) {
    session.conversation.signal.throwIfAborted();
    if (!isModelFault(error) && !(error instanceof Cancelled)) throw error;
    log.warn('the summary model failed', { turn: session.turn.id, error });
  }
  const { metered } = meter;
  if (!metered) return { text: undefined, usage: [] };
  const ms = Math.round(clock.monotonic() - started);
  const data = { role: 'summary', ...toWireCall(model, metered), ms };
  const usage: Draft = { type: 'model.call', turn: session.turn.id, author: 'system', data };
  // A summary that was cut off lacks its last part: the next steps.
  return { text: metered.finish === 'stop' ? text.trim() : undefined, usage: [usage] };
}

function isModelFault(error: unknown): boolean {
  return isFault(error) && /^(MODEL|SCRIPT)_/.test(error.code);
}
