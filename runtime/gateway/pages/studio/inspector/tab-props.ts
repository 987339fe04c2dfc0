import type { Round, Rounds } from '../data/wire.ts';

export type TabProps = {
  readonly log: Rounds;
  readonly round: Round | undefined;
  readonly at: number;
};
