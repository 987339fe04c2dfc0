import type { Block } from '../block.ts';
import { dataOf, understands } from '../catalogue/catalogue.ts';
import { carryBytesPerToken } from '../limits.ts';
import { shortNames } from '../short-names.ts';
import { countTokens } from '../tokens.ts';
import type { CallView, RoundView } from '../view.ts';
import type { PromptForm } from './form.ts';
import { type Item, type ItemContext, toItem } from './items.ts';
import { contentOf, type RenderPart } from './parts.ts';
import { inReadingOrder, isNamed, oddOutcome, roundHeader } from './reading-order.ts';
import { inputWithProgram, type PastReply } from './replies/past-reply.ts';
import { isHidden, writeQuoted } from './replies/quotations.ts';
import { saidIn } from './said.ts';
import { type Segment, spansIn, toSegments } from './segments.ts';
import { item, oneLine } from './text.ts';

type MessageForm = Extract<PromptForm, { as: 'messages' }>;
type RoundDrawing = {
  readonly turn: string;
  readonly form: MessageForm;
  readonly view: ItemContext;
};

/** A part with the blocks that it shows. */
type Drawn = {
  readonly part: RenderPart;
  readonly blocks: readonly number[];
  readonly spans?: Segment['spans'];
};

/**
 * A closed round in message form: the reply as the model wrote it, then what it led to.
 *
 * 1. The last part is of the user's side, so that two replies never meet.
 * 2. Results come first on the user's side, one for each call, in the order of the calls.
 * 3. Reasoning to carry comes first, and only before a text or a call: a provider refuses a reply of reasoning alone.
 * 4. A reply that decided nothing would be a wrong example: it is shown as in the log, with the reason.
 * 5. The texts of a reply are one part, and so are the items behind the results: with eight calls, a round has at most 19
 *    parts besides images and long reasoning.
 */
export function messageRound(
  round: RoundView,
  { turn, form, view }: RoundDrawing,
): readonly Segment[] {
  const blocks = inReadingOrder(round).filter(understands);
  const said = saidIn({ blocks, calls: round.calls, modelCall: round.modelCall }, view);
  if (!isExample(round, said.reply)) {
    const shown = blocks.filter((block) => !isNamed(block, round, view));
    return toSegments([headerOf(round), ...itemsOf(shown, view)], turn);
  }
  const others = blocks.filter((block) => !said.blocks.has(block) && !isNamed(block, round, view));
  const source = { blocks: [...said.blocks], frame: round.openSeq };
  const reply = replyParts(said.reply, { form, view, ...source });
  const after = hasCalls(round, form)
    ? afterCalls(round, { turn, view, others })
    : toSegments([headerOf(round), ...itemsOf(others, view)], turn);
  const parts = reply.length > 0 ? [...carryParts(round, form), ...reply] : [];
  const segments = [...parts.map((drawn) => toSegment(drawn, turn)), ...after];
  return segments.map((each, index) =>
    index === 0 ? { ...each, blocks: [round.openSeq, ...each.blocks] } : each,
  );
}

function isExample(round: RoundView, { calls, answers }: PastReply): boolean {
  return calls.length + answers.length > 0 || oddOutcome(round) === 'ready';
}

/** A block outside rounds: an answer of the runtime in the form of a reply, anything else as in the log. */
export function messageItem(
  block: Block,
  view: ItemContext,
  { protocol }: MessageForm,
): Item | undefined {
  const { reply, blocks } = saidIn({ blocks: [block], calls: [], modelCall: undefined }, view);
  if (!blocks.has(block)) return toItem(block, view);
  const { text } = writeQuoted(reply, protocol, { blocks: [], view, frame: block.seq });
  if (text === '') return undefined;
  const as = isHidden(block, view) ? 'hidden' : 'whole';
  return { seq: block.seq, text: `${text}\n\n`, role: 'assistant', as };
}

function hasCalls({ calls }: RoundView, { protocol }: MessageForm): boolean {
  return protocol === 'native-tools' && calls.length > 0;
}

type ReplySource = {
  readonly form: MessageForm;
  readonly view: ItemContext;
  readonly blocks: readonly Block[];
  /** The block that stands for the form of the reply. */
  readonly frame: number;
};

function replyParts(
  reply: PastReply,
  { form, view, blocks, frame }: ReplySource,
): readonly Drawn[] {
  const { text, spans } = writeQuoted(reply, form.protocol, { blocks, view, frame });
  const calls = form.protocol === 'native-tools' ? reply.calls : [];
  const isOfCall = (block: Block) => calls.some(({ call }) => call === block.call);
  const beside = blocks.filter((block) => !isOfCall(block)).map(seqOf);
  const part = { kind: 'text', text, role: 'assistant' } as const;
  const said: Drawn = { part, blocks: beside, spans };
  return [
    ...(text.trim() === '' ? [] : [said]),
    ...calls.map((call): Drawn => {
      const part = { kind: 'call', call: call.call, tool: call.tool } as const;
      return {
        part: { ...part, input: inputWithProgram(call) },
        blocks: blocks.filter((block) => block.call === call.call).map(seqOf),
      };
    }),
  ];
}

/** Reasoning goes back to the family of models that wrote it. */
function carryParts({ modelCall }: RoundView, { family }: MessageForm): readonly Drawn[] {
  const carry = modelCall && dataOf('model.call', modelCall)?.carry;
  if (!carry || carry.family !== family) return [];
  return [{ part: { kind: 'carry', blob: carry.blob }, blocks: [modelCall.seq] }];
}

type After = {
  readonly turn: string;
  readonly view: ItemContext;
  readonly others: readonly Block[];
};

/** The results, then one text of everything else, then images. */
function afterCalls(round: RoundView, { turn, view, others }: After): readonly Segment[] {
  const isOf = (block: Block, { call }: CallView) => block.call === call;
  const results = round.calls.map((call) => {
    const blocks = others.filter((block) => isOf(block, call));
    return { call, items: itemsOf(blocks, view) };
  });
  const rest = others.filter((block) => !round.calls.some((call) => isOf(block, call)));
  const header = oddOutcome(round) === undefined ? [] : [headerOf(round)];
  const images = results.flatMap(({ items }) => items.filter(({ attached }) => attached));
  const below = [...header, ...itemsOf(rest, view), ...imagesOf(images, view)];
  return [
    ...results.map(({ call, items }) => toSegment(resultPart(call, items), turn)),
    ...toSegments(below, turn),
  ];
}

function resultPart({ call, result }: CallView, items: readonly Item[]): Drawn {
  const ok = result !== undefined && dataOf('react.tool.result', result)?.ok === true;
  const text = items.map((each) => each.text).join('');
  const missing = item('TOOL RESULT', ['none on the log']);
  return {
    part: { kind: 'result', call, ok, text: text === '' ? missing : text },
    blocks: items.map(({ seq }) => seq),
    spans: spansIn(items),
  };
}

/** A result has only text: images follow all results, below one line that names them. */
function imagesOf(items: readonly Item[], view: ItemContext): readonly Item[] {
  const [first] = items;
  if (!first) return [];
  const attached = items.flatMap((each) => each.attached ?? []);
  const paths = attached.map(({ path }) => oneLine(shortNames(view).path(path)));
  const text = `Attached: ${paths.join(' · ')}\n\n`;
  return [{ seq: first.seq, text, attached, as: 'heading' }];
}

function itemsOf(blocks: readonly Block[], view: ItemContext): readonly Item[] {
  return blocks.flatMap((block) => toItem(block, view) ?? []);
}

function headerOf(round: RoundView): Item {
  return {
    seq: round.blocks.at(-1)?.seq ?? round.openSeq,
    text: roundHeader(round),
    as: 'heading',
  };
}

function toSegment({ part, blocks, spans = [] }: Drawn, turn: string): Segment {
  return { part, tokens: tokensOf(part), turn, blocks, spans };
}

function tokensOf(part: RenderPart): number {
  if (part.kind === 'carry') return Math.ceil(part.blob.size / carryBytesPerToken);
  return countTokens(contentOf(part));
}

function seqOf({ seq }: Block): number {
  return seq;
}
