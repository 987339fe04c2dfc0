import { excerpt, type Violation, violation } from '../protocol/violation.ts';
import type { ForeignPart, ParsedReply } from './reply.ts';

/** The two complete replies that the model may have meant. */
const callForm = callOf('…');
const answerForm =
  '<channel:ReactDecisionOutV2>{"action":"complete","final_answer":"…"}</channel:ReactDecisionOutV2>';
const bothForms = `To answer, write ${answerForm} To call a tool, write ${callForm}`;

/** A violation for a reply without a decision: says what the reply was, and shows the right form. */
export function missingDecision(packet: ParsedReply, isCut: boolean): Violation {
  const { foreign } = packet;
  if (foreign) return foreignTextViolation(foreign, 'alone');
  const [what, seen] = isCut
    ? ['reached the output limit before its decision', '']
    : whatItWas(packet);
  const message = `Your reply ${what}, so nothing was done and no answer was shown. ${bothForms}`;
  return violation('decision_missing_protocol_channels', message, { preview: seen });
}

/** A violation for foreign text after accepted actions, or instead of any action. */
export function foreignTextViolation(
  { what, text }: ForeignPart,
  place: 'behind' | 'alone',
): Violation {
  const done = place === 'behind' ? 'and what followed it was dropped' : 'so nothing was done';
  const right = place === 'behind' ? '' : ` Write instead: ${callOf(toolIn(text))}`;
  const start = excerpt(text);
  if (what === 'tool_call') {
    const message = `Your reply held “${start}”. That is not how a tool is called here, ${done}.${right}`;
    return violation('native_tool_call', message, { preview: start });
  }
  const message = `Your reply held “${start}”. The [LABELS] above are a log that only the runtime writes, ${done}.${right}`;
  return violation('log_imitation', message, { preview: start });
}

function whatItWas({
  outsideText,
  thinking,
  notices,
  summary,
  timelineTexts,
  canvases,
}: ParsedReply): readonly [string, string] {
  const open = thinking.find(({ as, how }) => as === 'think' && how === 'end');
  if (open) return ['never closed <think>, so all of it counted as thinking', excerpt(open.text)];
  const unknown = notices.find(({ code }) => code === 'undeclared_channel')?.detail['name'];
  if (typeof unknown === 'string') {
    return [`used <channel:${unknown}>, which does not exist, instead of a decision`, unknown];
  }
  const said = excerpt(outsideText);
  if (said !== '') return [`was plain text without <channel:…> tags (“${said}”)`, said];
  const others = [...timelineTexts, ...canvases];
  const thought = excerpt(thinking.at(-1)?.text ?? '');
  if (others.length > 0 || summary !== undefined) return ['held no decision', thought];
  if (thought !== '') return [`held thinking only (“${thought}”)`, thought];
  return ['was empty', ''];
}

function callOf(tool: string): string {
  return `<channel:thinking>…</channel:thinking><channel:ReactDecisionOutV2>{"action":"call_tool","notes":"…","tool_call":{"tool_id":"${tool}","params":{…}}}</channel:ReactDecisionOutV2>`;
}

/** The tool that a call in foreign syntax names. */
function toolIn(text: string): string {
  const named =
    /(?:"(?:name|tool|tool_name|function)"\s*:\s*"|name="|function=|functions\.|\[TOOL CALL[^\]]*\] |<\|python_tag\|>)([a-z]\w*\.\w+)/i.exec(
      text,
    );
  return named?.[1] ?? '…';
}
