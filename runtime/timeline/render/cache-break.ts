import type { Block, Draft } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { CacheCause } from '../catalogue/view-schemas.ts';
import type { CallId, TurnId } from '../ids.ts';
import { formOfRound } from './form.ts';

type CacheBreak = {
  readonly turn: TurnId;
  readonly cause: CacheCause;
  /** Seq of the block that changed the text. Absent: the block directly before this one in the same append. */
  readonly of?: number;
  /** Cached tokens that must be sent again, if known. */
  readonly tokens?: number;
  readonly call?: CallId;
};

/**
 * Declares why the text above the tail of the next prompt differs from the last prompt. It directly follows the block that
 * changes the text, in the same append. A break without it is a bug in the renderer (I5).
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

/** Inputs of a prompt, other than the log, that changed since the last round. Each of them invalidates the whole prefix. */
export function changedInputs(
  before: Pick<Block, 'data'>,
  now: Pick<Block, 'data'>,
): readonly CacheCause[] {
  const [was, is] = [dataOf('round.open', before), dataOf('round.open', now)];
  if (!was || !is) return [];
  const model = differ(was.model, is.model) ? ['model' as const] : [];
  const form = formOfRound(before.data).as !== formOfRound(now.data).as;
  return [
    ...model,
    ...(form ? ['form' as const] : changedRenderer(was, is)),
    ...changedHead(was, is),
  ];
}

type RoundOpening = NonNullable<ReturnType<typeof dataOf<'round.open'>>>;

function changedRenderer(was: RoundOpening, is: RoundOpening): readonly CacheCause[] {
  return differ(was.renderer, is.renderer) ? ['renderer'] : [];
}

/** The system text and the tools offered beside it. */
function changedHead(was: RoundOpening, is: RoundOpening): readonly CacheCause[] {
  // Another protocol has another system text and, in message form, another form of earlier replies.
  if ((was.protocol ?? 'channels') !== (is.protocol ?? 'channels')) return ['protocol'];
  const system = differ(was.hashes?.system, is.hashes?.system);
  const offer = differ(was.hashes?.offer, is.hashes?.offer);
  if ((system || offer) && differ(was.catalogue, is.catalogue)) return ['catalogue'];
  return system ? ['instruction'] : [];
}

/** A value that an older program did not record counts as unchanged. */
function differ(was: string | undefined, is: string | undefined): boolean {
  return was !== undefined && is !== undefined && was !== is;
}
