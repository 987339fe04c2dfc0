import { Refusal } from '../../base/refusal.ts';
import type { Frame } from '../http/frame-stream.ts';
import { parseResumePoint, type ResumePoint } from '../projections/resume-point.ts';
import { wholeTurn } from './delegates.ts';
import { pollPlacesMax } from './limits.ts';

/** What a client that polls has received: an id of the conversation, and of those of agents that work on its calls. */
export type PollPlace = {
  /** Empty: nothing yet. */
  readonly last: string;
  /** By conversation; `wholeTurn`: all of it. */
  readonly delegates: ReadonlyMap<string, string>;
};

/** Ids and conversations have none of these characters. */
const [separator, equals] = ['|', '='];

/** `last`, then `conversation=id` for each agent. The id of a frame of the stream is a place as well. */
export function parsePollPlace(text: string): PollPlace {
  const [last = '', ...named] = text.split(separator);
  if (named.length > pollPlacesMax) throw invalid();
  const delegates = named.map((each): readonly [string, string] => {
    const at = each.indexOf(equals);
    if (at < 0) throw invalid();
    return [each.slice(0, at), each.slice(at + 1)];
  });
  return { last, delegates: new Map(delegates) };
}

/** Refusal `cursor_invalid`. */
export function resumePoints({ delegates }: PollPlace): ReadonlyMap<string, ResumePoint | 'all'> {
  return new Map(
    [...delegates].map(([conversation, id]) => [
      conversation,
      id === wholeTurn ? ('all' as const) : parseResumePoint(conversation, id),
    ]),
  );
}

/** The place after these frames. The newest agents are remembered. */
export function placeAfter({ last, delegates }: PollPlace, frames: readonly Frame[]): string {
  let own = last;
  const others = new Map(delegates);
  for (const { id, of } of frames) {
    if (id === undefined) continue;
    if (of === undefined) own = id;
    else {
      others.delete(of);
      others.set(of, id);
    }
  }
  const named = [...others].slice(-pollPlacesMax).map((each) => each.join(equals));
  return [own, ...named].join(separator);
}

function invalid(): Refusal {
  return new Refusal('cursor_invalid', 'after: is not a place of this conversation');
}
