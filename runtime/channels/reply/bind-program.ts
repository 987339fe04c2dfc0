import type { Protocol } from '../protocol/reply-piece.ts';
import { excerpt, type Violation, violation } from '../protocol/violation.ts';
import type { Decision } from './decision.ts';
import type { ChannelInstance, ParsedReply } from './reply.ts';
import { formsOf } from './reply-forms.ts';
import type { ActionRules } from './rules.ts';

export type Program = { readonly instance: number; readonly text: string };

type BoundProgram = {
  readonly kind: 'bound';
  readonly program: Program;
  /** The decision, without a program in its parameters. */
  readonly decision: Decision;
  /** How the program was written, if not as it should be. */
  readonly notice?: 'code_in_params' | 'fenced_code' | 'code_behind_object' | 'code_outside';
};
type Binding =
  | { readonly kind: 'none' }
  | BoundProgram
  | { readonly kind: 'missing'; readonly violation: Violation };

type Reply = {
  readonly reply: ParsedReply;
  readonly rules: ActionRules & { readonly finish?: string; readonly protocol?: Protocol };
  /** Number of actions that were accepted before. */
  readonly before: number;
};

/** Code belongs to the exec action directly before it, with no other action and no other code between them. */
export function bindProgram(decision: Decision, channel: ChannelInstance, reply: Reply): Binding {
  const { rules, reply: packet } = reply;
  if (decision.action !== 'call_tool' || !isExecTool(decision.tool_call.tool_id, rules)) {
    return { kind: 'none' };
  }
  const { tool_id } = decision.tool_call;
  const code = nextAfter(channel, packet);
  if (code?.channel !== 'code') {
    const elsewhere = programInParams(decision, reply) ?? programOutside(decision, channel, reply);
    if (elsewhere !== undefined) return elsewhere;
    const missing = violation('missing_code', missingCode(tool_id, reply), { tool_id });
    return { kind: 'missing', violation: missing };
  }
  if (code.how === 'end' && rules.finish === 'length') {
    const message = `The program for ${tool_id} was cut off at the output limit, so it was not run. Write it again, shorter, or in several steps.`;
    const detail = { tool_id, chars: code.text.length };
    return { kind: 'missing', violation: violation('truncated_action', message, detail) };
  }
  const text = code.how === 'end' ? withoutOtherTag(code.text) : code.text;
  const inner = withoutFence(text);
  const program = { instance: code.instance, text: inner ?? text };
  const isField = code.as === 'field';
  const bound = {
    kind: 'bound',
    program,
    decision: isField ? withoutProgram(decision) : decision,
  } as const;
  return inner === undefined ? bound : { ...bound, notice: 'fenced_code' };
}

/** Models used to other protocols put the program into the parameters. */
function programInParams(
  decision: Decision & { readonly action: 'call_tool' },
  { reply: packet, before }: Reply,
): BoundProgram | undefined {
  const { code } = decision.tool_call.params;
  if (typeof code !== 'string' || code.trim() === '') return undefined;
  return {
    kind: 'bound',
    program: { instance: packet.codes.length + before, text: withoutFence(code) ?? code },
    decision: withoutProgram(decision),
    notice: 'code_in_params',
  };
}

/**
 * A model may write the program as one code fence: in `json` and `plain` anywhere outside of its only decision, in
 * `channels` directly behind its last decision.
 */
function programOutside(
  decision: Decision & { readonly action: 'call_tool' },
  { order }: ChannelInstance,
  { reply: packet, rules: { protocol = 'channels', finish }, before }: Reply,
): BoundProgram | undefined {
  const { decisions, codes, outsideAfter } = packet;
  if (finish === 'length' || protocol === 'native-tools') return undefined;
  const isTagged = protocol === 'channels';
  const isOurs = isTagged
    ? outsideAfter === order && decisions.at(-1)?.order === order && codes.length === 0
    : decisions.length === 1;
  if (!isOurs) return undefined;
  const text = withoutFence(packet.outsideText);
  if (text === undefined || text.trim() === '') return undefined;
  return {
    kind: 'bound',
    program: { instance: packet.codes.length + before, text },
    decision: withoutProgram(decision),
    notice: isTagged ? 'code_outside' : 'code_behind_object',
  };
}

function withoutProgram(decision: Decision & { readonly action: 'call_tool' }): Decision {
  const { code: _program, ...params } = decision.tool_call.params;
  return { ...decision, tool_call: { ...decision.tool_call, params } };
}

function missingCode(tool: string, { reply, rules }: Reply): string {
  const { protocol = 'channels' } = rules;
  const form = formsOf(protocol).program(tool);
  const said = protocol === 'channels' ? excerpt(reply.outsideText) : '';
  const why =
    said === ''
      ? 'without its program'
      : `without its program in a code channel (“${said}” stood outside of the channels)`;
  return `${tool} came ${why} and was not called. ${form.charAt(0).toUpperCase()}${form.slice(1)}`;
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
export function strayCode(packet: ParsedReply, rules: ActionRules): Violation | undefined {
  const bound = packet.decisions.flatMap((channel) => {
    const { identity } = channel.decision;
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
