import { isJsonObject } from '../../base/json.ts';
import type { Violation } from '../../channels/protocol/violation.ts';
import type { ReplyReading } from '../../channels/reply/read-reply.ts';
import type { Draft } from '../../timeline/block.ts';
import { paths } from '../../timeline/paths.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { ReplyProblem } from './accept-actions.ts';
import { refusedCanvases } from './canvases.ts';
import type { GeneratedReply } from './generated-reply.ts';

type ReadProblems = {
  readonly generated: GeneratedReply;
  readonly reading: ReplyReading;
  readonly violations: readonly (Violation | ReplyProblem)[];
};

/** Notices to the model about its reply: violations, repairs, and a cut-off. */
export function replyNotices(
  turn: TurnView,
  { generated, reading, violations }: ReadProblems,
): readonly Draft[] {
  return notices(turn, [
    ...violations.map(toViolation),
    ...reading.notices,
    ...refusedCanvases(generated.packet.canvases),
    ...cutOff(generated, violations),
  ]);
}

function toViolation({ code, message, detail }: Violation | ReplyProblem): ReplyProblem {
  return { code: `protocol_violation.${code}`, message, detail };
}

/** A violation caused by the cut-off mentions it itself. */
function cutOff(
  { finish }: GeneratedReply,
  violations: ReadProblems['violations'],
): readonly ReplyProblem[] {
  if (finish === 'stop' || finish === 'interrupted' || finish === 'violation') return [];
  if (finish === 'length' && violations.length > 0) return [];
  const message = endings[finish];
  return [{ code: `finish_${finish}`, message, detail: {} }];
}

const endings = {
  length: 'The reply reached the output limit and was cut off. Write less at a time.',
  refusal:
    'The provider of the model refused this reply and ended it. Answer the user in another way, or say what you cannot do.',
  unknown: 'The provider of the model did not say why the reply ended, so its end may be missing.',
};

function notices(turn: TurnView, problems: readonly ReplyProblem[]): readonly Draft[] {
  const before = turn.blocks.filter(({ type }) => type === 'react.notice').length;
  return problems.map(({ code, message, detail }, index) => ({
    type: 'react.notice',
    turn: turn.id,
    author: 'system',
    path: paths.notice(turn.id, before + index + 1),
    text: message,
    data: { code, ...(isJsonObject(detail) ? detail : {}) },
  }));
}
