import type { Json } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { CallId, TurnId } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import { AgentAnswer } from '../../../tools/ports/agent-answer.ts';
import type { ExternalAnswer } from '../../../tools/ports/tool.ts';
import { cutText } from '../../../tools/text/cut-text.ts';
import { stepAnswerCharsMax, stepResultBytesMax } from '../../limits.ts';

export type StepPlace = { readonly turn: TurnId; readonly call: CallId; readonly step: string };

type StepError = { readonly code: string; readonly message: string };

/** The end of a step without an answer. `conversation`: absent if it did not start. */
export function failedStep(
  { turn, call, step }: StepPlace,
  { code, message }: StepError,
  conversation?: string,
): Draft {
  const place = conversation === undefined ? {} : { conversation };
  const data = { call, step, ok: false, error: { code, message }, ...place };
  const path = paths.agentResult(turn, call, step);
  return { type: 'agent.result', turn, author: 'system', call, path, data };
}

/** The end of a step. A long answer is cut: the conversation of the step, and `path` in it, have it whole. */
export function endedStep(
  place: StepPlace,
  answer: ExternalAnswer,
  { conversation, path: whole }: { readonly conversation: string; readonly path: string },
): Draft {
  if (!answer.ok) return failedStep(place, answer.error, conversation);
  const { turn, call, step } = place;
  const ret: Json = { ...bounded(AgentAnswer.parse(answer.ret)), path: whole };
  return {
    type: 'agent.result',
    turn,
    author: 'system',
    call,
    path: paths.agentResult(turn, call, step),
    data: { call, step, ok: true, conversation, ret },
  };
}

function bounded(said: AgentAnswer): AgentAnswer {
  const cut = { ...said, answer: cutText(said.answer, stepAnswerCharsMax) };
  if (Buffer.byteLength(JSON.stringify(cut)) <= stepResultBytesMax) return cut;
  const { output: _, ...rest } = cut;
  return { ...rest, sources: cut.sources.map(({ sid, title, url }) => ({ sid, title, url })) };
}
