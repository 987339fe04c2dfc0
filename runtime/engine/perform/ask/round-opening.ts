import { invariant } from '../../../base/assert.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { Block, Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { Seq } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import { lastPrompted } from '../../../timeline/prompt-rounds.ts';
import { cacheBreak, changedInputs } from '../../../timeline/render/cache-break.ts';
import type { TurnView, View } from '../../../timeline/view.ts';
import type { AskStep } from '../../plan/plan-ask.ts';
import type { Prompt } from './prompt.ts';

type Opening = { readonly step: AskStep; readonly prompt: Prompt };

/** The blocks that begin a round: what changed since the last one, and the inputs of its prompt. */
export function openingBlocks(view: View, { step, prompt }: Opening): readonly Draft[] {
  const turn = view.openTurn;
  invariant(turn, 'a round belongs to an open turn');
  const opening = roundOpen(view, turn, { step, prompt });
  return [...protocolNotice(turn, prompt.record), ...breaksOf(view, opening), opening];
}

function roundOpen(view: View, turn: TurnView, { step, prompt }: Opening): Draft {
  const { round, phase, cause } = step;
  const data = {
    round,
    as_of: prompt.asOf,
    now: prompt.now,
    phase,
    ...(cause ? { cause } : {}),
    landed: newEventsIn(view, turn, prompt.asOf),
    ...prompt.record,
  };
  return { type: 'round.open', turn: turn.id, author: 'system', data };
}

/** Tools, instruction, model or renderer may have changed since the last round, in this turn or an earlier one. */
function breaksOf({ turns }: View, opening: Draft): readonly Draft[] {
  const before = lastPrompted(turns)?.blocks[0];
  if (!before) return [];
  return changedInputs(before, opening).map((cause) => cacheBreak({ turn: opening.turn, cause }));
}

/** Events that this round is the first to see, those that the turn before left unanswered among them. */
export function newEventsIn({ turns }: View, turn: TurnView, asOf: Seq): Json {
  const seen = turn.rounds.at(-1)?.asOf ?? 0;
  const left = turn.rounds.length === 0 ? unansweredIn(turns.at(-2)) : [];
  const own = turn.events.filter(
    ({ seq, type }) => seq > seen && seq <= asOf && type !== 'user.attachment',
  );
  return [...left, ...own].flatMap(({ seq, event }) =>
    event === undefined ? [] : [{ event_id: event, seq }],
  );
}

/** Events that a turn has left for the next one. */
export function unansweredIn(turn: TurnView | undefined): readonly Block[] {
  const close = turn?.blocks.findLast(({ type }) => type === 'turn.close');
  const left = close && dataOf('turn.close', close)?.unanswered_events;
  return (turn?.events ?? []).filter(({ event }) => event && left?.includes(event));
}

/** Says that the next round has another protocol than the last one of this turn, because replies could not be used. */
function protocolNotice(
  { id, rounds, blocks }: TurnView,
  { protocol = 'channels', protocol_from: from }: JsonObject,
): readonly Draft[] {
  const last = rounds.at(-1)?.blocks[0];
  const before = last && (dataOf('round.open', last)?.protocol ?? 'channels');
  if (from === undefined || before === undefined || before === protocol) return [];
  const notices = blocks.filter(({ type }) => type === 'react.notice').length;
  const text = `Several replies in the form “${before}” could not be used. From this round on, replies have the form “${String(protocol)}”.`;
  return [
    {
      type: 'react.notice',
      turn: id,
      author: 'system',
      path: paths.notice(id, notices + 1),
      text,
      data: { code: 'protocol_changed', from: before, to: protocol },
    },
  ];
}
