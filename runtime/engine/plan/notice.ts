import type { JsonObject } from '../../base/json.ts';
import type { Draft } from '../../timeline/block.ts';
import { paths } from '../../timeline/paths.ts';
import type { TurnView } from '../../timeline/view.ts';

type Notice = {
  readonly text: string;
  readonly data: JsonObject & { readonly code: string };
  /** Blocks of the same append that are not in the turn yet: notice paths are unique. */
  readonly more?: readonly Draft[];
};

export function noticeOf(turn: TurnView, { text, data, more = [] }: Notice): Draft {
  const before = [...turn.blocks, ...more].filter(({ type }) => type === 'react.notice').length;
  const path = paths.notice(turn.id, before + 1);
  return { type: 'react.notice', turn: turn.id, author: 'system', path, text, data };
}
