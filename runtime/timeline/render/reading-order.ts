import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf, entryOf } from '../catalogue/catalogue.ts';
import type { RenderAs } from '../catalogue/entry.ts';
import { shortNames } from '../short-names.ts';
import type { CallView, RoundView } from '../view.ts';
import type { ItemContext } from './items.ts';
import { item } from './text.ts';

/** The display order of related blocks, independent of their arrival; kinds in one row keep the order of the log. */
const order: readonly (readonly RenderAs[])[] = [
  ['thinking'],
  ['notes', 'remark', 'note'],
  ['code'],
  ['call'],
  ['canvas'],
  ['file'],
  ['result'],
  ['source'],
  ['notice'],
  ['completion'],
  ['summary'],
];
const rows = new Map(order.flatMap((row, place) => row.map((kind) => [kind, place] as const)));

/** Parts of a reply that belong to none of its calls and precede their results. */
const saidFirst: ReadonlySet<RenderAs> = new Set([
  'thinking',
  'notes',
  'remark',
  'note',
  'code',
  'canvas',
]);

/** Whether the result of the call already names this file, so that the file is omitted. A hidden file is never omitted. */
export function isNamed(
  { type, path, call }: Block,
  { calls }: RoundView,
  view: ItemContext,
): boolean {
  if (type !== 'artifact.file' || path === undefined || view.hidden.has(path)) return false;
  const { text = '' } = calls.find((each) => each.call === call)?.result ?? {};
  const named = shortNames(view).path(path);
  const at = text.indexOf(named);
  return at >= 0 && !/^\.?[\w/-]/.test(text.slice(at + named.length, at + named.length + 2));
}

/**
 * General text first, then each call with its notes, its program and its results, then the rest. Reasoning that a provider
 * reported is for people: a model gets it back only in the form that its provider wants.
 */
export function inReadingOrder({ blocks, calls }: RoundView): readonly Block[] {
  const groups = new Map(calls.map(({ call }, index) => [call, index + 1]));
  return blocks
    .filter(({ type, data }) => !(type === 'react.thinking' && isReasoning(data)))
    .map((block) => {
      const kind = entryOf(block.type)?.policy.render ?? 'none';
      const beside = saidFirst.has(kind) ? 0 : calls.length + 1;
      const group = (block.call === undefined ? undefined : groups.get(block.call)) ?? beside;
      return { block, group, row: rows.get(kind) ?? order.length };
    })
    .sort((a, b) => a.group - b.group || a.row - b.row || a.block.seq - b.block.seq)
    .map(({ block }) => block);
}

/** The line above a round, with its outcome if that is not the usual one. */
export function roundHeader(round: RoundView): string {
  const outcome = oddOutcome(round);
  return item(`ROUND ${round.number}`, [
    outcome === 'interrupted' ? interruptionText(round) : outcome,
  ]);
}

/** Why a round ended early, and whether anything of its reply ran. */
export function interruptionText(round: RoundView): string {
  const ran = round.calls.some(hasRun)
    ? ''
    : hasReply(round)
      ? '; nothing of this reply ran'
      : ' before you replied';
  return `interrupted ${interruption(round)}${ran}`;
}

/** Something of the reply is on the log, or it broke off on its way. */
function hasReply({ blocks }: RoundView): boolean {
  const close = blocks.findLast(({ type }) => type === 'round.close')?.data;
  const brokeOff = isJsonObject(close) && close['cause'] === 'model_broke_off';
  return brokeOff || blocks.some(({ type }) => !frame.has(type));
}

const frame: ReadonlySet<string> = new Set(['round.open', 'model.call', 'round.close']);

function hasRun({ result }: CallView): boolean {
  const data = result && dataOf('react.tool.result', result);
  return data?.error?.code !== 'not_executed';
}

/** Who or what ended a round early: a model that does not know takes its own reply for the cause. */
function interruption({ blocks, modelCall }: RoundView): string {
  const close = blocks.findLast(({ type }) => type === 'round.close');
  const { cause, by } = isJsonObject(close?.data) ? close.data : {};
  if (typeof by === 'string') return `by ${by.replace(/,$/, '')}`;
  if (cause === 'model_broke_off') return 'because your reply broke off on its way';
  const call = modelCall?.data;
  if (isJsonObject(call) && call['finish'] === 'interrupted') return 'by a message of the user';
  return modelCall ? 'because the turn ended' : 'because the server stopped';
}

export function oddOutcome(round: RoundView): string | undefined {
  const last = round.blocks.at(-1);
  const outcome =
    last?.type === 'round.close' ? dataOf('round.close', last)?.outcome : 'interrupted';
  return outcome === 'acted' || outcome === 'answered' ? undefined : outcome;
}

function isReasoning(data: Block['data']): boolean {
  return isJsonObject(data) && data['reasoning'] === true;
}
