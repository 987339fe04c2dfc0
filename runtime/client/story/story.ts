import type { StoryTurn } from '../api/story.ts';
import type { ChatEvent } from '../api/types.ts';
import type { Reaction } from '../api/values.ts';
import { applyToTurn, newTurn } from './apply-to-turn.ts';
import { fields, text } from './json-fields.ts';

export type { StoryPart, StoryTurn } from '../api/story.ts';

/** What the events of a conversation say, from its first known turn on. Immutable: what does not change stays the same object. */
export type Story = {
  readonly turns: readonly StoryTurn[];
  /** Events of turns that are not known, because they began before the first known one. */
  readonly orphans: readonly ChatEvent[];
};

export const emptyStory: Story = { turns: [], orphans: [] };

/** The story after one more event. */
export function applyEvent(story: Story, event: ChatEvent): Story {
  if (event.type === 'chat.start') {
    const others = story.turns.filter(({ id }) => id !== event.turnId);
    return { ...story, turns: [...others, newTurn(event)] };
  }
  if (event.type === 'conv.status' || event.type === 'chat.service') return story;
  const feedback = feedbackOf(event);
  const id = feedback?.turn ?? event.turnId;
  const at = story.turns.findLastIndex((turn) => turn.id === id);
  const turn = story.turns[at];
  if (!turn) return { ...story, orphans: [...story.orphans, event] };
  const changed = feedback ? { ...turn, feedback: feedback.entry } : applyToTurn(turn, event);
  return changed === turn ? story : { ...story, turns: story.turns.with(at, changed) };
}

/** The story with earlier events before it. */
export function withEarlier(story: Story, events: readonly ChatEvent[]): Story {
  const { turns, orphans } = [...events, ...story.orphans].reduce(applyEvent, emptyStory);
  return { turns: [...turns, ...story.turns], orphans };
}

export function isWorking({ turns }: { readonly turns: readonly StoryTurn[] }): boolean {
  const last = turns.at(-1);
  return last !== undefined && last.end === undefined;
}

/** The feedback of a user in an event, with its turn. An entry that takes feedback back leaves none. */
function feedbackOf(event: ChatEvent) {
  if (event.type !== 'chat.step' || event.event.step !== 'chat.feedback') return undefined;
  const { turn_id, reaction, text: words, origin } = fields(event.data);
  if (origin !== 'user') return undefined;
  const entry = isReaction(reaction) ? { reaction, text: text(words) } : undefined;
  return { turn: text(turn_id), entry };
}

function isReaction(value: unknown): value is Reaction {
  return value === 'ok' || value === 'not_ok' || value === 'neutral';
}
