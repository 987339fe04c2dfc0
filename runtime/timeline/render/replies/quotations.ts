import { withoutEncodedRuns } from '../../base64-runs.ts';
import type { Block } from '../../block.ts';
import { type Quotation, type Span, spansOf } from '../../spans.ts';
import type { View } from '../../view.ts';
import type { PastReply } from './past-reply.ts';
import { type ReplyForm, writeReply } from './write-reply.ts';

type Replacements = Pick<View, 'hidden'>;

type Source = {
  readonly blocks: readonly Block[];
  readonly view: Replacements;
  /** The block that stands for the form of the reply. */
  readonly frame: number;
};

/** The text of an earlier reply, and which of its blocks each stretch quotes. */
export function writeQuoted(
  reply: PastReply,
  protocol: ReplyForm | undefined,
  { frame, ...source }: Source,
): { readonly text: string; readonly spans: readonly Span[] } {
  const text = writeReply(reply, protocol);
  return { text, spans: spansOf(text, quotationsOf(reply, source), frame) };
}

/** The texts of blocks, as they are or as a JSON string, and the inputs of calls. */
function quotationsOf(
  reply: PastReply,
  { blocks, view }: Omit<Source, 'frame'>,
): readonly Quotation[] {
  return blocks.map((block) => {
    const replacement = replacementOf(block, view);
    const text = replacement ?? withoutEncodedRuns(block.text ?? '');
    const texts = [
      text,
      escaped(text),
      text.trim(),
      ...textsOfCall(block, reply),
      canvasOf(block, reply),
    ];
    return { block: block.seq, as: replacement === undefined ? 'whole' : 'hidden', texts };
  });
}

export function isHidden(block: Block, view: Replacements): boolean {
  return replacementOf(block, view) !== undefined;
}

function replacementOf({ path }: Block, { hidden }: Replacements): string | undefined {
  return path === undefined ? undefined : hidden.get(path);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The input of a call; with a program in it, the name of the tool. */
function textsOfCall({ type, call }: Block, { calls }: PastReply): readonly string[] {
  const past = calls.find((each) => each.call === call);
  if (!past) return [];
  if (type === 'react.code')
    return [past.program ?? '', (past.program ?? '').replace(/^\n|\n$/g, '')];
  return type === 'react.tool.call' ? [JSON.stringify(past.input), JSON.stringify(past.tool)] : [];
}

/** A long canvas is cut. */
function canvasOf({ type, text = '' }: Block, { canvases }: PastReply): string {
  if (type !== 'canvas') return '';
  const past = canvases.find((each) => text.startsWith(each.text.slice(0, cutStart)));
  return past?.text ?? '';
}

const cutStart = 200;
