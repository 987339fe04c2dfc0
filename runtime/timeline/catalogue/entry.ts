import { z } from 'zod';
import type { Json } from '../../base/json.ts';

/** Any JSON value in the data of a block. The store has parsed it from JSON text, so only its presence is checked. */
export const storedJson = z.custom<Json>((value) => value !== undefined);

/** How a block is rendered for the model; `none`: it only changes the view. */
export type RenderAs =
  | 'event'
  | 'attachment'
  | 'thinking'
  | 'notes'
  | 'remark'
  | 'code'
  | 'canvas'
  | 'call'
  | 'result'
  | 'file'
  | 'source'
  | 'tools'
  | 'notice'
  | 'note'
  | 'completion'
  | 'summary'
  | 'close'
  | 'feedback'
  | 'none';

export type Policy = {
  readonly render: RenderAs;
  /** What remains of the block when its turn is pruned: everything, one line with its path, or nothing. */
  readonly prune: 'keep' | 'stub' | 'drop';
  /** How a compaction treats the block: summarised, one row of the digest, or dropped (the result of a program represents it). */
  readonly compact: 'summarise' | 'digest' | 'drop';
  /** Kept word for word across a compaction. */
  readonly preserve: boolean;
};

export type Entry<Data extends z.ZodType = z.ZodType> = {
  readonly data: Data;
  /** Whether a path is valid for this type; `undefined`: no path. */
  readonly path: (path: string | undefined) => boolean;
  readonly policy: Policy;
  /** The block changes earlier text, so it is written together with a `cache.break`. */
  readonly breaksPrefix?: true;
};

export function entry<Data extends z.ZodType>(made: Entry<Data>): Entry<Data> {
  return made;
}

const inTurn = /^(ar|tc|fi|ws|su):(?:[a-z]+_)?turn_[\w-]+\.(.+)$/s;

/** Accepts paths `<family>:<turn>.<rest>` whose rest matches. */
export function turnPath(family: 'ar' | 'tc' | 'fi' | 'ws' | 'su', rest: RegExp): Entry['path'] {
  return (path) => {
    const [, found, tail] = inTurn.exec(path ?? '') ?? [];
    return found === family && tail !== undefined && rest.test(tail);
  };
}

/** For types without a path. */
export const pathless: Entry['path'] = (path) => path === undefined;

/** For blocks that change the view and are never shown. */
export const silent: Policy = { render: 'none', prune: 'drop', compact: 'drop', preserve: false };
