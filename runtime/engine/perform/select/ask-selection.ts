import { isFault, toWire } from '../../../base/fault.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { Cancelled } from '../../../base/signal.ts';
import type { Draft } from '../../../timeline/block.ts';
import { selectedToolsMax } from '../../../tools/limits.ts';
import { selectionMsMax } from '../../limits.ts';
import { StreamWatch } from '../../model/stream-watch.ts';
import { structuredCall } from '../../model/structured-call.ts';
import type { WorkerSession } from '../../session/session.ts';
import { collectingBudget } from '../call/collected-usage.ts';

export type SelectionAnswer = {
  /** Ids as the model wrote them; empty without an answer. */
  readonly answer: readonly string[];
  /** Why there is none. */
  readonly because: string | undefined;
  /** What it cost, to be appended with the choice. */
  readonly usage: readonly Draft[];
};

/** One question to the selection model. A steer, a deadline, a spent budget or a model fault leaves it without an answer. */
export async function askSelection(
  session: WorkerSession,
  prompt: string,
): Promise<SelectionAnswer> {
  const { engine, conversation, turn, agent } = session;
  const usage: Draft[] = [];
  const budget = collectingBudget(session, usage);
  using work = session.interruptible(conversation.view.head);
  using watch = new StreamWatch(engine.clock, { signal: work.signal, leftMs: selectionMsMax });
  const { signal } = watch;
  const request = {
    role: 'selection',
    conversation: conversation.lease.row.id,
    name: 'choose_tools',
    system: 'You choose the tools that an assistant needs for the request of a user.',
    prompt,
    output: { schema, parse },
    fallback: { value: [] as readonly string[] },
  } as const;
  const active = () => watch.noteActivity();
  try {
    const model = engine.model(agent, 'selection');
    const { value, because } = await structuredCall(model, request, { signal, budget, active });
    return { answer: value, because, usage };
  } catch (error) {
    conversation.signal.throwIfAborted();
    if (!(isFault(error) || isRefusal(error) || error instanceof Cancelled)) throw error;
    engine.log.warn('tools could not be selected', { turn: turn.id, error });
    const because = isFault(error) ? toWire(error).message : error.message;
    return { answer: [], because, usage };
  }
}

const schema = { type: 'array', items: { type: 'string' }, maxItems: selectedToolsMax } as const;

/** A list of ids, also as the only property of an object. Which of them exist is decided later. */
function parse(value: Json) {
  const list = isJsonObject(value) ? (Object.values(value).find(Array.isArray) ?? null) : value;
  if (Array.isArray(list) && list.every((id) => typeof id === 'string')) {
    return { ok: true as const, value: list };
  }
  const violation = { path: '', message: 'must be a list of tool ids' };
  return { ok: false as const, violations: [violation] };
}
