import type { Draft } from '../../timeline/block.ts';
import { paths } from '../../timeline/paths.ts';

/** Something about a call that is no failure of it and that the model should know. */
export function callNotice(
  { turn, call }: { readonly turn: string; readonly call: string },
  code: string,
  text: string,
): Draft {
  const path = paths.callNotice(turn, call);
  return { turn, call, type: 'react.notice', author: 'system', path, text, data: { code } };
}
