import type { Notice, ScanNoticeCode } from '../protocol/channel.ts';
import { type Violation, type ViolationCode, violation } from '../protocol/violation.ts';
import { identityIn } from './action-identity.ts';
import { type Decision, parseDecision, type RepairCode } from './decision.ts';
import { foreignTextViolation, missingDecision } from './missing-decision.ts';
import type { ChannelInstance, ParsedReply } from './reply.ts';
import { type ActionRules, actionName, createJudge, type Judge } from './rules.ts';
import { writtenFiles } from './written-files.ts';

export type AcceptedAction = {
  /** Instance of the decision channel. */
  readonly instance: number;
  readonly decision: Decision;
  /** The program after the decision; always set for an exec tool, never for another tool. */
  readonly code?: { readonly instance: number; readonly text: string };
  /** The decision was unusable, but the user had seen its answer, so exactly that text is kept. */
  readonly kept?: true;
  /** Plain text was taken as the answer. */
  readonly prose?: true;
};

export const readingNotices = {
  bare_decision:
    'The decision had no <channel:ReactDecisionOutV2>…</channel:ReactDecisionOutV2> around it. It was carried out all the same; write the tags.',
  code_in_params:
    'The program stood in tool_call.params.code. It was run all the same; write it in <channel:code id="c1">…</channel:code id="c1"> right after the decision.',
  fenced_code: 'The program stood in a code fence, which was removed. Write it without.',
  summary_without_answer: 'A summary belongs to complete or exit; this one was not kept.',
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
  const refusal = readDecisions(state) ?? strayCode(state) ?? foreignBehind(state);
  const actions = state.actions.toSorted((a, b) => Number(isFinal(a)) - Number(isFinal(b)));
  const summary = toSummary(state);
  return {
    actions,
    violations: refusal === undefined ? [] : [refusal],
    notices: [...packet.notices.filter((each) => !isSaid(each, refusal, rules)), ...state.notices],
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
  if (decisions.length === 0) return missingDecision(state.reply, state.rules.finish === 'length');
  for (const [index, channel] of decisions.entries()) {
    const refusal = readDecision(state, channel);
    if (refusal === undefined) continue;
    keepAnswer(state, channel);
    const rest = decisions.slice(index + 1).map(({ text }) => identityIn(text));
    const detail = { ...refusal.detail, instance: channel.instance };
    if (rest.length === 0) return { ...refusal, detail };
    const names = rest
      .map((each) => (each ? actionName(each) : 'an unreadable decision'))
      .join(', ');
    const message = `${refusal.message} Not carried out either: ${names}.`;
    return { ...refusal, message, detail: { ...detail, dropped_actions: rest.length } };
  }
  return undefined;
}

function readDecision(state: State, channel: ChannelInstance): Violation | undefined {
  const { rules, judge, actions } = state;
  const closed = channel.how !== 'end' || rules.finish === 'stop';
  // Check the identity first, as the live gates do: a reply that a gate stopped ends inside this decision.
  const identity = identityIn(channel.text);
  const refusal = identity && judge.admit(identity);
  if (refusal !== undefined) return refusal;
  const parsed = parseDecision(channel.text, {
    closed,
    isCut: rules.finish === 'length',
  });
  if (!parsed.ok) return parsed.violation;
  const { decision, repairs } = parsed;
  const { instance } = channel;
  const bound = bindCode(state, channel, decision);
  if (bound !== undefined && 'message' in bound) return bound;
  const collision = collide(decision, state);
  if (collision !== undefined) return collision;
  const prose = channel.as === 'prose' ? { prose: true as const } : {};
  const code = bound === undefined ? {} : { code: bound.code };
  actions.push({ instance, decision: bound?.decision ?? decision, ...code, ...prose });
  for (const { code, message } of repairs)
    state.notices.push({ code, message, detail: { instance } });
  if (channel.as === 'bare') notice(state, 'bare_decision', { instance });
  return undefined;
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
  { finish }: ReplyRules,
): boolean {
  if (code === 'text_outside' || code === 'undeclared_channel') {
    // The text after the point where a reply was stopped is an incomplete tag.
    if (finish === 'violation') return true;
    return refusal !== undefined && saysWhatStoodOutside.includes(refusal.code);
  }
  return code === 'unclosed_channel' && detail['how'] === 'end' && refusal !== undefined;
}

const saysWhatStoodOutside: readonly ViolationCode[] = [
  'missing_code',
  'decision_missing_protocol_channels',
  'log_imitation',
  'native_tool_call',
];

/** Accepted actions stay; what the model invented after them does not. */
function foreignBehind({ reply: packet }: State): Violation | undefined {
  return packet.foreign?.ends ? foreignTextViolation(packet.foreign, 'behind') : undefined;
}

type Bound = {
  readonly code: { readonly instance: number; readonly text: string };
  /** Set if the decision itself contained the program: the decision without it. */
  readonly decision?: Decision;
};

/** Code belongs to the exec action directly before it, with no other action and no other code between them. */
function bindCode(
  state: State,
  channel: ChannelInstance,
  decision: Decision,
): Bound | Violation | undefined {
  const { reply: packet, rules } = state;
  if (!isExec(decision, rules)) return undefined;
  const { tool_id } = decision.tool_call ?? { tool_id: '' };
  const code = nextAfter(channel, packet);
  if (code?.channel !== 'code') {
    const inParams = programInParams(state, decision);
    if (inParams !== undefined) return inParams;
    return violation('missing_code', missingCode(tool_id, packet), { tool_id });
  }
  if (code.how === 'end' && rules.finish === 'length') {
    const message = `The program for ${tool_id} was cut off at the output limit, so it was not run. Write it again, shorter, or in several steps.`;
    return violation('truncated_action', message, { tool_id, chars: code.text.length });
  }
  const text = code.how === 'end' ? withoutOtherTag(code.text) : code.text;
  const inner = withoutFence(text);
  if (inner !== undefined) notice(state, 'fenced_code', { instance: code.instance });
  return { code: { instance: code.instance, text: inner ?? text } };
}

/** Protocols without a code channel put the program into the parameters. */
function programInParams(state: State, decision: Decision): Bound | undefined {
  if (decision.action !== 'call_tool') return undefined;
  const { code, ...params } = decision.tool_call.params;
  if (typeof code !== 'string' || code.trim() === '') return undefined;
  const instance = state.reply.codes.length + state.actions.length;
  notice(state, 'code_in_params', { instance });
  return {
    code: { instance, text: withoutFence(code) ?? code },
    decision: { ...decision, tool_call: { ...decision.tool_call, params } },
  };
}

function missingCode(tool: string, { notices }: ParsedReply): string {
  const why = notices.some(({ code }) => code === 'text_outside')
    ? 'without its program in a code channel (text outside of channels is not run)'
    : 'without its program';
  return `${tool} came ${why} and was not called. Write both: <channel:ReactDecisionOutV2>{"action":"call_tool","notes":"…","tool_call":{"tool_id":"${tool}","params":{…}}}</channel:ReactDecisionOutV2><channel:code id="c1">PROGRAM</channel:code id="c1">`;
}

/** A channel with an id ended with the output: a tag at its end without the id was meant to close it. */
function withoutOtherTag(text: string): string {
  return text.replace(/\s*<\/channel:code[^<>]*>\s*$/i, '');
}

/** The content of a text that is exactly one code fence; undefined for any other text. */
function withoutFence(text: string): string | undefined {
  const lines = text.trim().split('\n');
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  const fences = lines.filter((line) => line.startsWith('```')).length;
  const isFenced = /^```[ \t]*[\w+-]*[ \t]*\r?$/.test(first) && last.trimEnd() === '```';
  return isFenced && fences === 2 ? lines.slice(1, -1).join('\n') : undefined;
}

function isExec(decision: Decision, rules: ActionRules): boolean {
  return decision.action === 'call_tool' && isExecTool(decision.tool_call.tool_id, rules);
}

function isExecTool(tool: string, rules: ActionRules): boolean {
  return rules.traitsOf(tool)?.kind === 'exec';
}

/** The next decision or code channel; other channels are skipped. */
function nextAfter({ order }: ChannelInstance, packet: ParsedReply): ChannelInstance | undefined {
  return [...packet.decisions, ...packet.codes]
    .filter((each) => each.order > order)
    .toSorted((a, b) => a.order - b.order)[0];
}

/** Code without an exec action is not run; the other actions stay. */
function strayCode({ reply: packet, rules }: State): Violation | undefined {
  const bound = packet.decisions.flatMap((channel) => {
    const identity = identityIn(channel.text);
    const runs = identity?.action === 'call_tool' && isExecTool(identity.tool, rules);
    return runs ? [nextAfter(channel, packet)] : [];
  });
  const stray = packet.codes.find((code) => !bound.includes(code));
  if (stray === undefined) return undefined;
  const several = packet.decisions.length > 1;
  const message =
    'The code channel did not come right after a decision that calls an exec tool, so the program was not run. Call the exec tool, then write the code directly behind it.';
  const code = several ? 'code_channel_with_multi_action' : 'code_channel_without_single_exec';
  return violation(code, message, { instance: stray.instance, chars: stray.text.length });
}

function collide(decision: Decision, { rules, actions }: State): Violation | undefined {
  const filesOf = (each: Decision) =>
    writtenFiles(each, each.tool_call ? rules.traitsOf(each.tool_call.tool_id) : undefined);
  const taken = new Set(actions.flatMap((action) => filesOf(action.decision)));
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
