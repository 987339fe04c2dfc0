import { isFault } from '../../../base/fault.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { Cancelled } from '../../../base/signal.ts';
import { decisionChannel } from '../../../channels/protocol/channel.ts';
import { createScanner } from '../../../channels/scan/scanner.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { SummaryPrompt } from '../../../timeline/compact/summary-prompt.ts';
import { summaryDeadlineMs } from '../../limits.ts';
import { StreamWatch } from '../../model/stream-watch.ts';
import { structuredCall } from '../../model/structured-call.ts';
import type { WorkerSession } from '../../session/session.ts';
import { collectingBudget } from '../call/collected-usage.ts';

type Summary = {
  /** Undefined: the model was not available, was stopped, or was cut off: then the last part, the next steps, is missing. */
  readonly text: string | undefined;
  /** The usage, to be appended to the turn: its budget pays. */
  readonly usage: readonly Draft[];
};

/** One question to the summary model. A steer, a deadline, a spent budget, a model fault or silence ends it without a text. */
export async function summarise(
  session: WorkerSession,
  brief: SummaryPrompt,
  outputTokensMax: number,
): Promise<Summary> {
  const { engine, agent, conversation, turn } = session;
  const usage: Draft[] = [];
  const budget = collectingBudget(session, usage);
  using work = session.interruptible(turn.rounds.at(-1)?.asOf ?? turn.openSeq);
  const limits = { signal: work.signal, leftMs: summaryDeadlineMs };
  using watch = new StreamWatch(engine.clock, limits);
  const { signal } = watch;
  const request = {
    role: 'summary',
    conversation: conversation.lease.row.id,
    name: 'write_summary',
    system: brief.system,
    prompt: brief.text,
    isText: true,
    maxOutputTokens: outputTokensMax,
    output: { schema, parse },
    fallback: { value: undefined },
  } as const;
  const active = () => watch.noteActivity();
  try {
    const model = engine.model(agent, 'summary');
    const { value, because } = await structuredCall<string | undefined>(model, request, {
      ...{ signal, budget, active },
    });
    if (because !== undefined) {
      engine.log.warn('the summary model gave no summary', { turn: turn.id, because });
    }
    return { text: value, usage };
  } catch (error) {
    conversation.signal.throwIfAborted();
    if (!(isFault(error) || isRefusal(error) || error instanceof Cancelled)) throw error;
    engine.log.warn('the summary model failed', { turn: turn.id, error });
    return { text: undefined, usage };
  }
}

const schema = {
  type: 'object',
  properties: { summary: { type: 'string', description: 'The whole text, headings included.' } },
  required: ['summary'],
  additionalProperties: false,
} as const;

/** The text, or the property of an object, or the channel of a reply. */
function parse(value: Json) {
  const given = isJsonObject(value) ? value['summary'] : value;
  const text = typeof given === 'string' ? withoutTags(given.trim()) : '';
  const goesOn = isReply(text);
  if (text !== '' && !goesOn) return { ok: true as const, value: text };
  const message = goesOn ? 'must be a summary, not the next reply of the agent' : 'must be a text';
  const violation = { path: 'summary', message };
  return { ok: false as const, violations: [violation] };
}

/** A model that has read many replies may write its text in the channel that replies have for it. */
function withoutTags(text: string): string {
  const inner = /^<channel:summary>(.*)<\/channel:summary>$/s.exec(text)?.[1] ?? text;
  return inner.trim();
}

/** Goes on with the task: what it says was never done or shown. */
function isReply(text: string): boolean {
  const scanner = createScanner();
  const events = [...scanner.push(text), ...scanner.end()];
  const decides = events.some(
    (event) => event.kind === 'opened' && event.channel === decisionChannel,
  );
  return decides || text.startsWith('<channel:');
}
