import type { Draft } from '../../timeline/block.ts';
import type { CallId, TurnId } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';

/** A remark about a call that the model should know, although the call did not fail. */
export function callNotice(
  { turn, call }: { readonly turn: TurnId; readonly call: CallId },
  code: string,
  text: string,
): Draft {
  const path = paths.callNotice(turn, call);
  return { turn, call, type: 'react.notice', author: 'system', path, text, data: { code } };
}
