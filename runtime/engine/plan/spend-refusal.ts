import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { TurnView } from '../../timeline/view.ts';

/** Code of the notice that a limit for the user or the tenant is used up. */
export const spendNotice = 'spend_exhausted';

/** No further model call is paid in this turn. A later event is tried again: the limit may have been renewed. */
export function spendRefusal({ blocks, events }: TurnView): Block | undefined {
  const last = events.at(-1)?.seq ?? 0;
  return blocks.findLast(
    ({ type, data, seq }) =>
      type === 'react.notice' && seq > last && isJsonObject(data) && data['code'] === spendNotice,
  );
}
