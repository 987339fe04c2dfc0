import type { Json } from '../../base/json.ts';
import { toSidecar } from '../../channels/citations/citation-sidecar.ts';
import type { AcceptedAction, ReplyReading } from '../../channels/reply/read-reply.ts';
import type { ParsedReply } from '../../channels/reply/reply.ts';
import { type CallId, toCallId } from '../../timeline/ids.ts';
import { hasFallback, repairsOf } from '../agent/protocol-choice.ts';
import type { ReplyContext } from '../agent/reply-context.ts';
import { rawAnswerCharsMax } from '../limits.ts';
import { type RoundPlace, streamName } from '../live/live-stream.ts';
import type { Action, FinalAction } from '../plan/actions.ts';
import { mustComplete, outputInvalid } from '../plan/output-grace.ts';
import { malformedCode, violationsInRow } from '../plan/round-end.ts';
import { type GeneratedReply, isCutOff } from './generated-reply.ts';

export type ReplyProblem = {
  readonly code: string;
  readonly message: string;
  readonly detail: Json;
};

type ActionContext = {
  readonly call: CallId;
  readonly place: RoundPlace;
  readonly summary: string | undefined;
  readonly generated: Pick<GeneratedReply, 'finish' | 'written'>;
};

/** An accepted decision as stored in `model.call`. */
export function toAction(
  { decision, instance, prose, kept, declined }: AcceptedAction,
  { call, place, summary, generated }: ActionContext,
): Action {
  if (decision.action === 'call_tool') {
    const { tool_id, params } = decision.tool_call;
    const stream = generated.written.get(instance);
    const { notes } = decision;
    const action = { kind: 'call_tool' as const, call, tool: tool_id, input: params, notes };
    return {
      ...action,
      ...(stream === undefined ? {} : { stream }),
      ...(declined === undefined ? {} : { declined }),
    };
  }
  return {
    kind: decision.action,
    call,
    answer: decision.final_answer,
    stream: streamName(place, 'answer', instance),
    followups: [...(decision.suggested_followups ?? [])],
    degraded: prose === true || kept === true || isCutOff(generated),
    ...(decision.output === undefined ? {} : outputOf(decision.output)),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** Citations are stored beside an output: its schema has no room for them. */
function outputOf(output: Json): Pick<FinalAction, 'output' | 'citations'> {
  const { value, citations } = toSidecar(output);
  const beside = citations.map(({ path, sids }) => ({ path, sids: [...sids] }));
  return { output: value, ...(beside.length > 0 ? { citations: beside } : {}) };
}

/** An answer whose structured output does not match its schema goes back to the model and is never shown. */
export function checkOutputs(
  { agent: { output } }: ReplyContext,
  { actions }: ReplyReading,
): { actions: readonly AcceptedAction[]; violations: readonly ReplyProblem[] } {
  const violations: ReplyProblem[] = [];
  if (!output) return { actions, violations };
  const kept = actions.filter(({ decision }) => {
    if (decision.action !== 'complete') return true;
    const { value } = toSidecar('output' in decision ? (decision.output ?? null) : null);
    const parsed = output.parse(value);
    if (parsed.ok) return true;
    const list = parsed.violations
      .map(({ path, message }) => `${path || 'output'}: ${message}`)
      .join('; ');
    const message = `The output does not fit its schema: ${list}. Complete again with an output that fits.`;
    violations.push({ code: 'output_invalid', message, detail: {} });
    return false;
  });
  return { actions: kept, violations };
}

type UnusableReply = {
  readonly generated: GeneratedReply;
  readonly place: RoundPlace;
  readonly violations: readonly ReplyProblem[];
  /** No round is left to repeat the reply. */
  readonly last: boolean;
};

/**
 * The model has broken the protocol too often: its text becomes the answer, marked as degraded, or the turn fails. A
 * text never replaces a structured output: that has attempts of its own.
 */
export function fallbackAnswer(
  { agent, engine, turn }: ReplyContext,
  { generated, place, violations, last }: UnusableReply,
): { action?: Action; error?: { code: string; message: string } } | undefined {
  if (isOutputAttempt(agent, violations)) {
    return mustComplete(turn) ? { error: outputInvalid } : undefined;
  }
  if (agent.policies.malformed === 'fail') {
    const message = `The model did not keep to the protocol: ${violations[0]?.code ?? 'unusable reply'}.`;
    return { error: { code: malformedCode, message } };
  }
  const repairs = repairsOf(agent.policies.malformed);
  const isTooMuch = violationsInRow(turn) >= repairs && !hasFallback(turn);
  if (!isTooMuch && !last) return undefined;
  const answer = lastAnswer(generated.packet).slice(0, rawAnswerCharsMax);
  // If only the rounds are used up, the steps of the turn say more than this text could.
  if (!isTooMuch && answer === '') return undefined;
  return {
    action: {
      kind: 'complete',
      call: nextCall(engine),
      answer:
        answer === ''
          ? 'The model did not give a usable answer. Please ask again.'
          : answer.toWellFormed(),
      stream: streamName(place, 'answer', 0),
      followups: [],
      degraded: true,
    },
  };
}

/** A reply that does not fit the structured output of its agent. Where broken replies fail a turn, only an unfit output is one. */
function isOutputAttempt(
  { output, degradesOutput, policies }: ReplyContext['agent'],
  violations: readonly ReplyProblem[],
): boolean {
  if (!output || degradesOutput) return false;
  return policies.malformed !== 'fail' || violations.some(({ code }) => code === 'output_invalid');
}

/** The id of a call that the model requested just now. */
export function nextCall({ ids }: Pick<ReplyContext['engine'], 'ids'>): CallId {
  return toCallId(ids.next('tc'));
}

/** The answer of the last decision that has one, otherwise the plain text, never thinking or protocol fragments. */
function lastAnswer({ decisions, outsideText }: ParsedReply): string {
  const answers = decisions.map(({ decision }) => decision.textOf('final_answer').trim());
  const answer = answers.findLast((each) => each !== '');
  if (answer !== undefined) return answer;
  return outsideText.replace(/<\/?[\w:|-]*(think|channel|tool)[^>]*>/gi, '').trim();
}
