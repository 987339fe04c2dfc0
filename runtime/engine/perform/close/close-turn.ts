import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { isInDoubt, settle } from '../../../timeline/close/close-turn.ts';
import { isHandedOff } from '../../../timeline/close/waits.ts';
import { isStop } from '../../../timeline/fold/recall.ts';
import { type Seq, toSeq, toTurnId } from '../../../timeline/ids.ts';
import type { TurnView } from '../../../timeline/view.ts';
import { inDoubtNotice } from '../../../tools/results/in-doubt.ts';
import { choiceOf } from '../../agent/turn-data.ts';
import { usageByRole, usageOf } from '../../model/usage.ts';
import type { CloseTurnStep } from '../../plan/plan-ask.ts';
import type { WorkerSession } from '../../session/session.ts';
import { stopChildren } from '../delegate/stop-children.ts';
import { stepsAnswer } from './steps-answer.ts';

/**
 * An event was accepted while the last turn was closing: it gets a turn of its own with the same agent, unless
 * another event has opened one since.
 */
export async function openTurn(session: WorkerSession): Promise<void> {
  const { view } = session.conversation;
  const last = view.turns.at(-1);
  const { bundle, agent } = last ? choiceOf(last) : { bundle: undefined, agent: undefined };
  const late = last?.events.at(-1);
  const lateData = late?.data;
  const data = {
    ...(bundle === undefined ? {} : { bundle }),
    ...(agent === undefined ? {} : { agent }),
    text: late?.text ?? '',
    ...(isJsonObject(lateData) && lateData['options'] ? { options: lateData['options'] } : {}),
    reopened: true,
  };
  const turn = toTurnId(session.engine.ids.next('turn'));
  const draft = { type: 'turn.open', turn, author: 'system', data } as const;
  await session.conversation.append([draft], { expectHead: view.head });
}

export async function closeRound(
  session: WorkerSession,
  outcome: 'acted' | 'interrupted' | 'ready',
): Promise<void> {
  await session.conversation.append([roundClose(session.turn, outcome)]);
}

/**
 * Settles everything that is still open in the turn and closes it. Written only if the log is unchanged since the
 * plan: if anything arrived, nothing is written and the next plan decides.
 */
export async function closeTurn(
  session: WorkerSession,
  { reason, error, asOf, unanswered }: CloseTurnStep,
): Promise<void> {
  const { turn } = session;
  const { view } = session.conversation;
  await stopChildren(session);
  const doubts = await inDoubtNotices(session);
  const by = stoppedBy(turn, reason);
  const handsOff = reason === 'handed_off';
  const settled = settle(view, { reason: 'interrupted', now: session.now, handsOff, ...by });
  const hasSteps = turn.rounds.some(({ calls }) => calls.length > 0);
  const isMissing = unanswered === true || hasSteps;
  const answer = isMissing ? stepsAnswer(turn, { reason, more: settled }) : [];
  const more = [...settled, ...answer];
  const late = eventsAfter(turn, asOf);
  const block = turnClose(turn, { reason, more, late, ...(error ? { error } : {}) });
  const rules = { asOf: settledUpTo(turn, { asOf, head: view.head }), expectHead: view.head };
  await session.conversation.append([...doubts, ...more, block], rules);
}

/** A fork closes what it finds open; no one stopped it. */
function stoppedBy(
  { events }: TurnView,
  reason: CloseTurnStep['reason'],
): { readonly by?: string } {
  if (reason === 'failed') return { by: 'the system, which gave up on this turn,' };
  return events.some(isStop) ? { by: 'the user' } : {};
}

/** Calls that were started and may have taken effect: people are notified, because no round will follow. */
async function inDoubtNotices({ turn, conversation }: WorkerSession): Promise<readonly Draft[]> {
  const round = turn.rounds.at(-1);
  const open = (round && !round.closed ? round.calls : []).filter(isInDoubt);
  const notices = open.map(async ({ call, tool }) => {
    const begun = await conversation.callJournal(call).calls();
    const left = begun.filter(({ outcome }) => outcome === undefined);
    // Everything a program does, it does through its calls.
    const isProgram = round?.blocks.some(
      (each) => each.type === 'react.code' && each.call === call,
    );
    const calls = isProgram || begun.length > 0 ? left : [{ id: call, tool, effects: 'unkeyed' }];
    return calls.length === 0 ? [] : [inDoubtNotice({ turn: turn.id, call }, calls)];
  });
  return (await Promise.all(notices)).flat();
}

/**
 * The last seq that the turn settles: right before the first event that it does not answer. Decisions and client
 * answers do not count as events, and withdrawn events no longer do: no turn is opened for them.
 */
function settledUpTo(
  { events }: TurnView,
  { asOf, head }: { readonly asOf: Seq; readonly head: Seq },
): Seq {
  const next = events.find(({ seq }) => seq > asOf);
  return next ? toSeq(next.seq - 1) : head;
}

/** The ids of events that the turn does not answer; the next turn does. */
function eventsAfter({ events }: TurnView, asOf: Seq): readonly string[] {
  const late = events.filter(({ seq, type }) => seq > asOf && type !== 'user.attachment');
  return late.flatMap(({ event }) => event ?? []);
}

export function roundClose(turn: TurnView, outcome: string, more: JsonObject = {}): Draft {
  const round = turn.rounds.at(-1)?.number ?? 0;
  return {
    type: 'round.close',
    turn: turn.id,
    author: 'system',
    data: { round, outcome, ...more },
  };
}

type TurnEnd = {
  readonly reason: string;
  readonly error?: { readonly code: string; readonly message: string };
  /** Blocks of the same append that are not in the turn yet. */
  readonly more?: readonly Draft[];
  readonly late?: readonly string[];
};

/** The one terminal block of a turn: everything a client needs to show its end. */
export function turnClose(turn: TurnView, { reason, error, more = [], late = [] }: TurnEnd): Draft {
  const blocks = [...turn.blocks, ...more];
  const completions = blocks.filter((block) => block.type === 'assistant.completion');
  const last = completions.at(-1);
  const data = isJsonObject(last?.data) ? last.data : {};
  const stopped = reason === 'interrupted' && turn.events.some(isStop) && last === undefined;
  return {
    type: 'turn.close',
    turn: turn.id,
    author: 'system',
    data: {
      reason,
      text: last?.text ?? (stopped ? 'Stopped.' : ''),
      degraded: data['degraded'] === true,
      completions: completions.length,
      ...(reason === 'handed_off' ? handedOffCalls(turn) : {}),
      files: filesOf(blocks),
      usage: usageOf(blocks),
      usage_by_role: usageByRole(blocks),
      ...(data['output'] === undefined ? {} : { output: data['output'] }),
      ...(data['citations'] === undefined ? {} : { citations: data['citations'] }),
      ...(late.length > 0 ? { unanswered_events: late } : {}),
      ...(error ? { error } : {}),
    },
  };
}

/** The calls that the caller performs, with their inputs. */
function handedOffCalls({ rounds }: TurnView): JsonObject {
  const calls = (rounds.at(-1)?.calls ?? []).filter(isHandedOff).map(({ call, tool, external }) => {
    const asked = external && dataOf('external.call', external.request);
    return { call, tool, input: asked?.input ?? {} };
  });
  return calls.length === 0 ? {} : { calls };
}

/** The files of the turn that people may see; the newest of each path. */
function filesOf(blocks: readonly Draft[]): Json {
  const files = new Map<string, Json>();
  for (const { type, path, mime, data } of blocks) {
    if (type !== 'artifact.file' || !path || !isJsonObject(data)) continue;
    const { filename = '', size = 0, visibility = 'external' } = data;
    files.delete(path);
    if (visibility === 'external') {
      files.set(path, {
        path,
        filename,
        mime: mime ?? 'application/octet-stream',
        size,
        visibility,
      });
    }
  }
  return [...files.values()];
}
