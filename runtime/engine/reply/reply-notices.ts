import { isJsonObject } from '../../base/json.ts';
import type { Violation } from '../../channels/protocol/violation.ts';
import type { PacketReading } from '../../channels/reply/read-reply.ts';
import type { Draft } from '../../timeline/block.ts';
import { paths } from '../../timeline/paths.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { Told } from './accept-actions.ts';
import { refusedCanvases } from './canvases.ts';
import type { Generated } from './read-reply.ts';

type Reply = {
  readonly generated: Generated;
  readonly reading: PacketReading;
  readonly wrong: readonly (Violation | Told)[];
};

/** What the model reads of its reply: what was refused, what was mended, and that it was cut off. */
export function replyNotices(
  turn: TurnView,
  { generated, reading, wrong }: Reply,
): readonly Draft[] {
  return notices(turn, [
    ...wrong.map(asViolation),
    ...reading.notices,
    ...refusedCanvases(generated.packet.canvases),
    ...cutOff(generated, wrong),
  ]);
}

function asViolation({ code, message, detail }: Violation | Told): Told {
  return { code: `protocol_violation.${code}`, message, detail };
}

/** A violation that comes of the cut says so itself. */
function cutOff({ finish }: Generated, wrong: Reply['wrong']): readonly Told[] {
  if (finish === 'stop' || finish === 'interrupted' || finish === 'violation') return [];
  if (finish === 'length' && wrong.length > 0) return [];
  const message =
    finish === 'length'
      ? 'The reply reached the output limit and was cut off. Write less at a time.'
      : 'The model ended its reply without saying why.';
  return [{ code: `finish_${finish}`, message, detail: {} }];
}

function notices(turn: TurnView, told: readonly Told[]): readonly Draft[] {
  const before = turn.blocks.filter(({ type }) => type === 'react.notice').length;
  return told.map(({ code, message, detail }, index) => ({
    type: 'react.notice',
    turn: turn.id,
    author: 'system',
    path: paths.notice(turn.id, before + index + 1),
    text: message,
    data: { code, ...(isJsonObject(detail) ? detail : {}) },
  }));
}
