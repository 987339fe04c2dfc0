import type { z } from 'zod';

/** How a block is shown to the model; `none`: it only acts on the view. */
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
  | 'notice'
  | 'note'
  | 'completion'
  | 'summary'
  | 'close'
  | 'none';

export type Policy = {
  readonly render: RenderAs;
  /** What an old, cold turn keeps of it: all, a line that names its path, nothing. */
  readonly prune: 'keep' | 'stub' | 'drop';
  /** What a range summary makes of it: words of the summary, a row of its digest, nothing (a program is told by its result). */
  readonly compact: 'summarise' | 'digest' | 'drop';
  /** Carried over a compaction word for word. */
  readonly preserve: boolean;
};

export type Entry<Data extends z.ZodType = z.ZodType> = {
  readonly data: Data;
  /** Whether a path fits: `undefined` is the absent one. */
  readonly path: (path: string | undefined) => boolean;
  readonly policy: Policy;
  /** Changes text above it, so that it is written together with a `cache.break`. */
  readonly breaksPrefix?: true;
};

export function entry<Data extends z.ZodType>(made: Entry<Data>): Entry<Data> {
  return made;
}

const inTurn = /^(ar|tc|fi|ws|su):(?:[a-z]+_)?turn_[\w-]+\.(.+)$/s;

/** Paths `<family>:<turn>.<rest>` whose rest fits. */
export function turnPath(family: 'ar' | 'tc' | 'fi' | 'ws' | 'su', rest: RegExp): Entry['path'] {
  return (path) => {
    const [, found, tail] = inTurn.exec(path ?? '') ?? [];
    return found === family && tail !== undefined && rest.test(tail);
  };
}

/** Types that nothing refers to. */
export const pathless: Entry['path'] = (path) => path === undefined;

/** What acts on the view and is shown to nobody. */
export const silent: Policy = { render: 'none', prune: 'drop', compact: 'drop', preserve: false };
