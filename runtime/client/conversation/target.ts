import type { Json } from '../../base/json.ts';
import type { SendOptions } from '../api/types.ts';

/** Which conversation, and where to begin in it. */
export type Target = {
  readonly id: string;
  /** It may not be there yet: the first message makes it. */
  readonly isNew: boolean;
  readonly bundle?: string | undefined;
  readonly agent?: string | undefined;
  readonly after?: string | undefined;
  readonly tail?: number;
};
export type Opening = { readonly after: string } | { readonly tail: number };
export type Saying = SendOptions & { readonly turn?: string; readonly payload?: Json };

/** Undefined: at a cursor, or at the beginning. */
export function openingOf({ isNew, after, tail }: Target): Opening | undefined {
  if (after === 'now' && !isNew) return { after };
  return isNew || after !== undefined || tail === undefined ? undefined : { tail };
}
