import { isJsonObject } from '../../base/json.ts';
import { readJsonValue } from '../json/json-value.ts';
import type { Protocol } from '../protocol/reply-piece.ts';
import { excerpt, preview, type Violation, violation } from '../protocol/violation.ts';
import type { ForeignPart, ParsedReply } from './reply.ts';
import { formsOf } from './reply-forms.ts';
import type { ActionRules } from './rules.ts';

type FormRules = Partial<Pick<ActionRules, 'traitsOf'>> & { readonly protocol?: Protocol };

/** A violation for a reply without a decision: says what the reply was, and shows the right form. */
export function missingDecision(
  packet: ParsedReply,
  rules: FormRules & { readonly finish?: string },
): Violation {
  const { finish, protocol } = rules;
  const { foreign } = packet;
  if (foreign) return foreignTextViolation(foreign, 'alone', rules);
  const forms = formsOf(protocol);
  const [what, seen] =
    finish === 'length'
      ? ['reached the output limit before its decision', '']
      : whatItWas(packet, forms.parts);
  const bothForms = `To answer, ${forms.answer}\nTo call a tool, ${callForm(packet.outsideText, rules)}${protocol === 'native-tools' ? '.' : ''}`;
  const message = `Your reply ${what}, so nothing was done and no answer was shown.\n${bothForms}`;
  return violation('decision_missing_protocol_channels', message, { preview: seen });
}

/** A violation for foreign text after accepted actions, or instead of any action. */
export function foreignTextViolation(
  { what, text }: ForeignPart,
  place: 'behind' | 'alone',
  rules: FormRules,
): Violation {
  const { protocol } = rules;
  const done = place === 'behind' ? 'and what followed it was dropped' : 'so nothing was done';
  const isNative = protocol === 'native-tools';
  const action = isNative || place === 'behind' ? undefined : wrongActionIn(text);
  if (action !== undefined) return wrongAction(action, text);
  const form = callForm(text, rules);
  const instead = isNative
    ? `To call a tool, ${form}.`
    : `Write instead: ${form.slice('write '.length)}`;
  const right = place === 'behind' ? '' : ` ${instead}`;
  const start = excerpt(text);
  if (what === 'tool_call') {
    const message = `Your reply held “${start}”. That is not how a tool is called here, ${done}.${right}`;
    return violation('native_tool_call', message, { preview: start });
  }
  const message = `Your reply held “${start}”. The [LABELS] above are a log that only the runtime writes, ${done}.${right}`;
  return violation('log_imitation', message, { preview: start });
}

/** The action of a decision that only that word spoils. */
function wrongActionIn(text: string): string | undefined {
  const { value } = readJsonValue(text);
  if (!isJsonObject(value)) return undefined;
  const { action, tool_call: call, final_answer: answer } = value;
  const isDecision = isJsonObject(call) || typeof answer === 'string';
  return isDecision && typeof action === 'string' ? action : undefined;
}

function wrongAction(action: string, text: string): Violation {
  const named = JSON.stringify(preview(action));
  const message = `There is no action ${named}, so nothing was done. Write the same object again with "action":"call_tool" to call the tool, or with "action":"complete" to answer.`;
  return violation('invalid_action', message, { action: preview(action), preview: excerpt(text) });
}

/** In a reasoning text, which has no channels: its end was not written before the decision. */
const decisionTag = /<channel:(ReactDecisionOutV2|action)>\s*\{/i;

function whatItWas(
  { outsideText, thinking, notices, summary, timelineTexts, canvases }: ParsedReply,
  parts: string,
): readonly [string, string] {
  const open = thinking.find(
    ({ as, how, text }) => (as === 'think' && how === 'end') || decisionTag.test(text),
  );
  if (open) return ['never closed <think>, so all of it counted as thinking', excerpt(open.text)];
  const unknown = notices.find(({ code }) => code === 'undeclared_channel')?.detail['name'];
  if (typeof unknown === 'string') {
    return [`used <channel:${unknown}>, which does not exist, instead of a decision`, unknown];
  }
  const said = excerpt(outsideText);
  if (/^\s*\{\s*'/.test(outsideText)) {
    return [`has single quotes where JSON has double quotes (“${said}”)`, said];
  }
  if (said !== '') return [`was plain text without ${parts} (“${said}”)`, said];
  const others = [...timelineTexts, ...canvases];
  const thought = excerpt(thinking.at(-1)?.text ?? '');
  if (others.length > 0 || summary !== undefined) return ['held no decision', thought];
  if (thought !== '') return [`held thinking only (“${thought}”)`, thought];
  return ['was empty', ''];
}

/** How the tool that the text names is called: with its program, if it runs one. */
function callForm(text: string, { protocol, traitsOf }: FormRules): string {
  const tool = toolIn(text);
  const forms = formsOf(protocol);
  const isProgram = protocol !== 'native-tools' && traitsOf?.(tool)?.kind === 'exec';
  return isProgram ? forms.program(tool) : forms.call(tool);
}

/** The tool that a call in foreign syntax names. */
function toolIn(text: string): string {
  const named =
    /(?:"(?:name|tool|tool_name|function)"\s*:\s*"|name="|function=|functions\.|\bAction:\s*|\[TOOL CALL[^\]]*\] |<\|python_tag\|>)([a-z]\w*\.\w+)/i.exec(
      text,
    );
  return named?.[1] ?? '…';
}
