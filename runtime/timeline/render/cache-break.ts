import type { Block, Draft } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { CacheCause } from '../catalogue/view-schemas.ts';

type CacheBreak = {
  readonly turn: string;
  readonly cause: CacheCause;
  /** Seq of the block that changed the text. Absent: the block right before this one in the same append. */
  readonly of?: number;
  /** Tokens that were cached and must be sent again, as far as they are known. */
  readonly tokens?: number;
  readonly call?: string;
};

/**
 * Declares that text above the tail of the next prompt is not that of the last one, and why. It goes right behind the
 * block that changes the text, in the same append: a break without it is a fault of the renderer (I5).
 */
export function cacheBreak({ turn, cause, of, tokens, call }: CacheBreak): Draft {
  return {
    type: 'cache.break',
    turn,
    author: 'system',
    ...(call === undefined ? {} : { call }),
    data: {
      cause,
      ...(of === undefined ? {} : { of }),
      ...(tokens === undefined ? {} : { tokens }),
    },
  };
}

/** What of a prompt, beside the log, is not as it was in the round before: the whole prefix goes with each of them. */
export function changedInputs(
  before: Pick<Block, 'data'>,
  now: Pick<Block, 'data'>,
): readonly CacheCause[] {
  const [was, is] = [dataOf('round.open', before), dataOf('round.open', now)];
  if (!was || !is) return [];
  const system = differ(was.hashes?.system, is.hashes?.system);
  const catalogue = system && differ(was.catalogue, is.catalogue);
  return [
    ...(differ(was.model, is.model) ? ['model' as const] : []),
    ...(differ(was.renderer, is.renderer) ? ['renderer' as const] : []),
    ...(catalogue ? ['catalogue' as const] : []),
    ...(system && !catalogue ? ['instruction' as const] : []),
  ];
}

/** What an older program did not record is not known to have changed. */
function differ(was: string | undefined, is: string | undefined): boolean {
  return was !== undefined && is !== undefined && was !== is;
}
