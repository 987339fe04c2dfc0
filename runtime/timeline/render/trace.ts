import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf, entryOf } from '../catalogue/catalogue.ts';
import type { RenderAs } from '../catalogue/entry.ts';
import {
  traceEarlierChars,
  traceEarlierTurns,
  traceEventCharsMax,
  traceQuestionChars,
  traceResultCharsMax,
  traceSourcesMax,
} from '../limits.ts';
import { planHistory } from '../plans/plan-text.ts';
import type { Quotation } from '../spans.ts';
import { countTokens } from '../tokens.ts';
import type { RoundView, TurnView, View } from '../view.ts';
import { toItem } from './items.ts';
import { inReadingOrder } from './reading-order.ts';
import { brief, clip, type ItemLabel, indentHeadings, item, quote } from './text.ts';

/** Recorded in the `round.open` of an answer, like the renderer's version in that of a decision. */
export const traceVersion = 'timeloom-trace-2';

type TraceInputs = {
  /** Tokens of the record. The oldest results are left out first, then the oldest steps. */
  readonly tokensMax: number;
  /** The text of the last part. */
  readonly request: string;
};

/**
 * The prompt of an answer after its system text: a record of the open turn, made from its blocks, whatever protocol
 * they were written in. Every event is in it, and every call with its result, each at most `traceResultCharsMax`.
 */
export function renderTrace(
  view: View,
  { tokensMax, request }: TraceInputs,
): {
  readonly parts: readonly { readonly kind: 'text'; readonly text: string }[];
  readonly tokens: number;
} {
  const record = recordOf(view, tokensMax);
  const parts = [record, request].map((text) => ({ kind: 'text' as const, text }));
  return { parts, tokens: countTokens(record) + countTokens(request) };
}

/** What the record quotes, in order. */
export function quotedInTrace(view: View): readonly Quotation[] {
  const turn = view.openTurn;
  if (!turn) return [];
  return [
    ...earlierMessages(view, turn).map(({ seq, text }) => whole(seq, [text])),
    ...stepsOf(view, turn).map(({ seq, text, short }) => whole(seq, [text, short])),
  ];
}

function whole(block: number, texts: readonly string[]): Quotation {
  return { block, as: 'whole', texts };
}

/** The last part: it names the message whose language counts. */
export function answerRequest({ openTurn }: View): string {
  const said = openTurn?.events.filter(({ text = '' }) => text.trim() !== '').at(-1)?.text ?? '';
  const question = brief(said, traceQuestionChars);
  return `[ANSWER NOW] Write the answer to the user, and nothing else, in the language of this message: “${question}”`;
}

function recordOf(view: View, tokensMax: number): string {
  const turn = view.openTurn;
  if (!turn) return '';
  const before = earlier(view, turn);
  const after = [planOf(view, turn), sourcesOf(view), draftOf(turn)].join('');
  const left = tokensMax - countTokens(before) - countTokens(after);
  const text = withinRoom(stepsOf(view, turn), left);
  return [before, '[THIS TURN]\n\n', text, after].join('');
}

type Step = {
  readonly seq: number;
  readonly text: string;
  /** Instead of `text` if there is too little room. */
  readonly short: string;
  /** Events of people stay. */
  readonly stays: boolean;
};

function withinRoom(steps: readonly Step[], tokensMax: number): string {
  const texts = steps.map(({ text }) => text);
  const tokens = texts.map(countTokens);
  let sum = tokens.reduce((total, each) => total + each, 0);
  const replace = (index: number, text: string) => {
    const now = countTokens(text);
    sum += now - (tokens[index] ?? 0);
    tokens[index] = now;
    texts[index] = text;
  };
  for (const [index, { short }] of steps.entries()) if (sum > tokensMax) replace(index, short);
  let left = 0;
  for (const [index, { stays }] of steps.entries()) {
    if (sum <= tokensMax || stays) continue;
    replace(index, '');
    left += 1;
  }
  const note = left === 0 ? '' : `… (${left} earlier steps are left out)\n\n`;
  return `${note}${texts.join('')}`;
}

const shown: ReadonlySet<RenderAs> = new Set<RenderAs>([
  ...(['event', 'attachment', 'notes', 'remark', 'canvas'] as const),
  ...(['call', 'result', 'file', 'completion'] as const),
]);

/** Events stand before the first round that has seen them. */
function stepsOf(view: View, turn: TurnView): readonly Step[] {
  const inRounds = new Set(turn.rounds.flatMap(({ blocks }) => blocks));
  const loose = turn.blocks.filter((block) => !inRounds.has(block));
  const entries = [
    ...loose.map((block) => ({ seq: block.seq, blocks: [block] })),
    ...turn.rounds.map((round) => ({ seq: round.asOf + 0.5, blocks: inReadingOrder(round) })),
  ];
  return entries
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => stepOf(view, block) ?? []);
}

/** What the model hid from its own prompt is whole here. */
function stepOf(view: View, block: Block): Step | undefined {
  const kind = entryOf(block.type)?.policy.render ?? 'none';
  if (!shown.has(kind) && !isRule(block)) return undefined;
  const drawn = toItem(bounded(block), { ...view, hidden: new Map() });
  if (!drawn) return undefined;
  const text = guarded(drawn.text);
  const [head = ''] = text.split('\n', 1);
  return {
    seq: block.seq,
    text,
    short: kind === 'result' ? `${head} (left out here)\n\n` : text,
    stays: kind === 'event' || kind === 'attachment' || isRule(block),
  };
}

/** Why an earlier answer was not delivered. */
function isRule(block: Block): boolean {
  return dataOf('react.notice', block)?.code === 'completion_refused';
}

function bounded(block: Block): Block {
  if (block.type !== 'react.tool.result') {
    const { text } = block;
    return text === undefined ? block : { ...block, text: clip(text, traceEventCharsMax) };
  }
  const { ret, error } = dataOf('react.tool.result', block) ?? {};
  const text = block.text ?? (error ? undefined : JSON.stringify(ret ?? null));
  return text === undefined ? block : { ...block, text: clip(text, traceResultCharsMax) };
}

const heading = /^\[(?:THIS TURN|EARLIER|PLAN|DRAFT|ANSWER NOW)\b/;

/** Text in a body cannot be mistaken for a section of the record. */
function guarded(text: string): string {
  return indentHeadings(text, heading);
}

function earlier(view: View, turn: TurnView): string {
  const said = earlierMessages(view, turn).map(({ text }) => text);
  return said.length === 0 ? '' : `[EARLIER in this conversation]\n\n${said.join('')}`;
}

type Message = { readonly seq: number; readonly text: string };

function earlierMessages({ turns }: View, turn: TurnView): readonly Message[] {
  const before = turns.filter(({ id }) => id !== turn.id).slice(-traceEarlierTurns);
  return before.flatMap(({ events, completions }) => [
    ...events.slice(0, 1).map((event) => message('USER MESSAGE', event)),
    ...completions.slice(-1).map((answer) => message('ASSISTANT MESSAGE', answer)),
  ]);
}

function message(label: ItemLabel, { seq, text = '' }: Block): Message {
  return { seq, text: item(label, [], guarded(quote(brief(text, traceEarlierChars)))) };
}

function planOf({ plans }: View, turn: TurnView): string {
  const own = plans.filter((plan) => plan.last_turn_id === turn.id);
  return own.length === 0 ? '' : `[PLAN]\n${guarded(quote(planHistory(own)))}\n\n`;
}

function sourcesOf({ sources }: View): string {
  if (sources.length === 0) return '';
  const rows = sources
    .slice(-traceSourcesMax)
    .map(({ sid, title, url }) => `[${sid}] ${brief(title, 80)} | ${brief(url, 200)}`);
  return `SOURCES: cite as [[S:n]]\n${rows.join('\n')}\n\n`;
}

/** The brief answer of the agent that did the work. */
function draftOf({ rounds }: TurnView): string {
  const text = answerIn(rounds.findLast(isReady));
  return text === ''
    ? ''
    : `[DRAFT] by the assistant that did the work\n${guarded(quote(text))}\n\n`;
}

function isReady({ blocks }: RoundView): boolean {
  return blocks.some(
    (block) => block.type === 'round.close' && dataOf('round.close', block)?.outcome === 'ready',
  );
}

function answerIn(round: RoundView | undefined): string {
  const data = round?.modelCall?.data;
  const actions = isJsonObject(data) && Array.isArray(data['actions']) ? data['actions'] : [];
  const answers = actions.flatMap((action) => (isJsonObject(action) ? [action['answer']] : []));
  const answer = answers.findLast((each) => typeof each === 'string');
  return typeof answer === 'string' ? answer : '';
}
