import type { Notice, ScanNoticeCode } from '../protocol/channel.ts';
import type { Protocol } from '../protocol/reply-piece.ts';
import { type Violation, type ViolationCode, violation } from '../protocol/violation.ts';
import { bindProgram, type Program, strayCode } from './bind-program.ts';
import { type Decision, parseDecision, type RepairCode } from './decision.ts';
import { foreignTextViolation, missingDecision } from './missing-decision.ts';
import type { ChannelInstance, DecisionInstance, ParsedReply } from './reply.ts';
import { type ActionRules, actionName, createJudge, declinesCalls, type Judge } from './rules.ts';
import { writtenFiles } from './written-files.ts';

export type AcceptedAction = {
  /** Instance of the decision channel. */
  readonly instance: number;
  readonly decision: Decision;
  /** The program after the decision; always set for an exec tool, never for another tool. */
  readonly code?: Program;
  /** The call is recorded as not executed, for this reason. */
  readonly declined?: string;
  /** The decision was unusable, but the user had seen its answer, so exactly that text is kept. */
  readonly kept?: true;
  /** Plain text was taken as the answer. */
  readonly prose?: true;
};

export const readingNotices = {
  bare_decision:
    'The decision had no <channel:ReactDecisionOutV2>…</channel:ReactDecisionOutV2> around it. It was carried out. Next time write the tags.',
  code_in_params:
    'The program stood in tool_call.params.code and was taken from there. Next time write it in <channel:code id="c1">…</channel:code id="c1"> right after the decision.',
  fenced_code:
    'The program stood in a code fence, which was removed. Next time write it without the fence.',
  code_outside:
    'The program stood in a code fence outside of the channels and was taken from there. Next time write it in <channel:code id="c1">…</channel:code id="c1"> right after the decision.',
  code_behind_object:
    'The program stood in a code fence outside of the object and was taken from there. Next time write it in tool_call.params.code.',
  summary_without_answer:
    'A summary came without complete or exit. It was not kept. Next time write it with the answer only.',
} as const;
type ReplyNoticeCode = ScanNoticeCode | RepairCode | keyof typeof readingNotices;

export type ReplyReading = {
  /** In the order they run: an answer is last, even if neutral calls were written after it. */
  readonly actions: readonly AcceptedAction[];
  /** Why the other actions were rejected. At most one for decisions: the decisions after it are not evaluated. */
  readonly violations: readonly Violation[];
  readonly notices: readonly Notice<ReplyNoticeCode>[];
  /** Set only with an answer. */
  readonly summary?: string;
};

export type ReplyRules = ActionRules & {
  /** Undefined: `channels`. Only the messages to the model depend on it. */
  readonly protocol?: Protocol;
  /** How the reply ended, as the model reports it. After `length`, an unclosed channel counts as truncated. */
  readonly finish?: 'stop' | 'length' | 'refusal' | 'unknown' | 'violation';
  /** Answers that the user has already seen, by decision instance. */
  readonly answers?: ReadonlyMap<number, string>;
};

/** Evaluates one whole reply. Never throws: every text of the model gives a result. */
export function readReply(packet: ParsedReply, rules: ReplyRules): ReplyReading {
  const state: State = {
    reply: packet,
    rules,
    judge: createJudge(rules),
    actions: [],
    notices: [],
  };
  const refusal = readDecisions(state) ?? strayCode(packet, rules) ?? foreignBehind(state);
  const actions = state.actions.toSorted((a, b) => Number(isFinal(a)) - Number(isFinal(b)));
  const summary = toSummary(state);
  return {
    actions,
    violations: refusal === undefined ? [] : [refusal],
    notices: [...packet.notices.filter((each) => !isSaid(each, refusal, state)), ...state.notices],
    ...(summary === undefined ? {} : { summary }),
  };
}

type State = {
  readonly reply: ParsedReply;
  readonly rules: ReplyRules;
  readonly judge: Judge;
  readonly actions: AcceptedAction[];
  readonly notices: Notice<ReplyNoticeCode>[];
};

/** Accepts decisions in order, up to the first that is rejected. */
function readDecisions(state: State): Violation | undefined {
  const { decisions } = state.reply;
  if (decisions.length === 0) return missingDecision(state.reply, state.rules);
  for (const [index, channel] of decisions.entries()) {
    const refusal = readDecision(state, channel);
    if (refusal === undefined) continue;
    keepAnswer(state, channel);
    const rest = decisions.slice(index + 1).filter((each) => !isDeclined(state, each));
    const names = rest.map(({ decision }) => decision.identity);
    const detail = { ...refusal.detail, instance: channel.instance };
    if (rest.length === 0) return { ...refusal, detail };
    const dropped = names
      .map((each) => (each ? actionName(each) : 'an unreadable decision'))
      .join(', ');
    const message = `${refusal.message} Not carried out either: ${dropped}.`;
    return { ...refusal, message, detail: { ...detail, dropped_actions: rest.length } };
  }
  return undefined;
}

/** A call after a rejected decision: recorded as not executed, if the rules say so. */
function isDeclined(state: State, channel: DecisionInstance): boolean {
  state.judge.reject();
  if (!declinesCalls(state.rules) || state.actions.length === 0) return false;
  return readDecision(state, channel) === undefined;
}

function readDecision(state: State, channel: DecisionInstance): Violation | undefined {
  const { rules, judge, reply, actions } = state;
  const closed = channel.how !== 'end' || rules.finish === 'stop';
  // Check the identity first, as the live gates do: a reply that a gate stopped ends inside this decision.
  const { identity } = channel.decision;
  const verdict = identity && judge.admit(identity);
  if (verdict?.kind === 'refused') return verdict.violation;
  const parsed = parseDecision(channel.decision, {
    closed,
    isCut: rules.finish === 'length',
  });
  if (!parsed.ok) return parsed.violation;
  const { decision, repairs } = parsed;
  const { instance } = channel;
  const binding = bindProgram(decision, channel, { reply, rules, before: actions.length });
  if (verdict?.kind === 'declined') {
    decline(state, channel, { decision, ...binding, message: verdict.message });
    return undefined;
  }
  if (binding.kind === 'missing') return binding.violation;
  const collision = accept(state, channel, { decision, ...binding });
  if (collision !== undefined) return collision;
  for (const { code, message } of repairs)
    state.notices.push({ code, message, detail: { instance } });
  if (channel.as === 'bare') notice(state, 'bare_decision', { instance });
  return undefined;
}

type Readable = {
  readonly decision: Decision;
  readonly program?: Program;
  readonly notice?: keyof typeof readingNotices;
};

function accept(
  state: State,
  channel: ChannelInstance,
  { decision, program, notice: said }: Readable,
): Violation | undefined {
  const { rules, actions } = state;
  if (said && program) notice(state, said, { instance: program.instance });
  const collision = collide(decision, state);
  if (collision !== undefined && declinesCalls(rules)) {
    const { message } = collision;
    decline(state, channel, { decision, message, ...(program ? { program } : {}) });
    return undefined;
  }
  if (collision !== undefined) return collision;
  const prose = channel.as === 'prose' ? { prose: true as const } : {};
  const code = program === undefined ? {} : { code: program };
  actions.push({ instance: channel.instance, decision, ...code, ...prose });
  return undefined;
}

function decline(
  { actions }: State,
  { instance }: ChannelInstance,
  { decision, program, message }: Readable & { readonly message: string },
): void {
  const code = program === undefined ? {} : { code: program };
  actions.push({ instance, decision, ...code, declined: message });
}

function notice(
  { notices }: State,
  code: keyof typeof readingNotices,
  detail: Notice['detail'] = {},
): void {
  notices.push({ code, message: readingNotices[code], detail });
}

/** One cause gives one notice: a notice that repeats the violation is dropped. */
function isSaid(
  { code, detail }: Notice<ReplyNoticeCode>,
  refusal: Violation | undefined,
  { rules: { finish }, notices }: State,
): boolean {
  if (code === 'text_outside' || code === 'undeclared_channel') {
    if (notices.some((each) => takenFromOutside.includes(each.code))) return true;
    // The text after the point where a reply was stopped is an incomplete tag.
    if (finish === 'violation') return true;
    return refusal !== undefined && saysWhatStoodOutside.includes(refusal.code);
  }
  return code === 'unclosed_channel' && detail['how'] === 'end' && refusal !== undefined;
}

const takenFromOutside: readonly ReplyNoticeCode[] = ['code_behind_object', 'code_outside'];

const saysWhatStoodOutside: readonly ViolationCode[] = [
  'missing_code',
  'decision_missing_protocol_channels',
  'log_imitation',
  'native_tool_call',
  'invalid_action',
];

/** Accepted actions stay; what the model invented after them does not. */
function foreignBehind({ reply: packet, rules }: State): Violation | undefined {
  const { foreign } = packet;
  return foreign?.ends ? foreignTextViolation(foreign, 'behind', rules) : undefined;
}

function collide(decision: Decision, { rules, actions }: State): Violation | undefined {
  const filesOf = (each: Decision) =>
    writtenFiles(each, each.tool_call ? rules.traitsOf(each.tool_call.tool_id) : undefined);
  const run = actions.filter(({ declined }) => declined === undefined);
  const taken = new Set(run.flatMap((action) => filesOf(action.decision)));
  const file = filesOf(decision).find((each) => taken.has(each));
  if (file === undefined) return undefined;
  const message = `Two actions of one reply write ${file}; the second was not carried out. Write a file once per reply.`;
  return violation('multi_action_bundle_same_file_collision', message, { file });
}

/** An answer that the user has seen is not withdrawn and not written twice. */
function keepAnswer({ rules, actions }: State, { instance }: ChannelInstance): void {
  const seen = rules.answers?.get(instance) ?? '';
  if (seen.trim() === '') return;
  const answer = { final_answer: seen, suggested_followups: null };
  const decision: Decision = { action: 'complete', notes: '', tool_call: null, ...answer };
  actions.push({ instance, decision, kept: true });
}

function isFinal({ decision }: AcceptedAction): boolean {
  return decision.action !== 'call_tool';
}

function toSummary(state: State): string | undefined {
  const { reply: packet, actions } = state;
  if (packet.summary === undefined || actions.some(isFinal)) return packet.summary;
  notice(state, 'summary_without_answer');
  return undefined;
}
