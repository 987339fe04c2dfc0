import type { Round, Rounds, Turn } from '../data/wire.ts';

/** A row of the list of rounds. */
export type Row =
  | { readonly kind: 'turn'; readonly key: string; readonly block: number; readonly turn: Turn }
  | {
      readonly kind: 'round';
      readonly key: string;
      readonly block: number;
      readonly turn: Turn;
      readonly round: Round;
    }
  | {
      readonly kind: 'event';
      readonly key: string;
      readonly block: number;
      readonly event: Turn['events'][number];
    }
  | {
      readonly kind: 'answer';
      readonly key: string;
      readonly block: number;
      readonly turn: Turn;
      readonly text: string;
    };

/** Turns, their rounds, and the events and answers where they landed. */
export function toRows({ turns }: Pick<Rounds, 'turns'>): readonly Row[] {
  return turns.flatMap((turn): Row[] => {
    const inside: Row[] = [
      ...turn.rounds.map(
        (round): Row => ({ kind: 'round', key: `r${round.seq}`, block: round.seq, turn, round }),
      ),
      ...turn.events.map(
        (event): Row => ({ kind: 'event', key: `e${event.block}`, block: event.block, event }),
      ),
      ...turn.answers.map(
        ({ block, text }): Row => ({ kind: 'answer', key: `a${block}`, block, turn, text }),
      ),
    ];
    const head: Row = { kind: 'turn', key: `t${turn.seq}`, block: turn.seq, turn };
    return [head, ...inside.toSorted((a, b) => a.block - b.block)];
  });
}
