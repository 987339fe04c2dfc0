import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { BlobRef, Block } from '../block.ts';
import { dataOf, entryOf, understands } from '../catalogue/catalogue.ts';
import type { RenderAs } from '../catalogue/entry.ts';
import { toCallId } from '../ids.ts';
import {
  eventPayloadCharsMax,
  paramCharsMax,
  resultJsonCharsMax,
  resultTextCharsMax,
  sourceTitleCharsMax,
  sourceUrlCharsMax,
} from '../limits.ts';
import { type ShortNames, shortNames } from '../short-names.ts';
import type { ShownAs } from '../spans.ts';
import { imageTokens } from '../tokens.ts';
import type { View } from '../view.ts';
import { clipInput } from './clip-input.ts';
import { beginning, brief, clip, type ItemLabel, item, quote, sizeText } from './text.ts';

/** An image or document that is part of the prompt. */
export type InlineFile = {
  readonly path: string;
  readonly mime: string;
  readonly blob: BlobRef;
  readonly tokens: number;
};

/** The rendered form of one block: text that ends with an empty line, then optional images and documents. */
export type Item = {
  readonly seq: number;
  readonly text: string;
  readonly attached?: readonly InlineFile[];
  /** Written by the model, in the form of its replies. Absent: a text of the user's side. */
  readonly role?: 'assistant';
  /** Default: `whole`. */
  readonly as?: ShownAs;
};

/** The parts of a view that an item depends on: turn and call names, and hidden paths. */
export type ItemContext = Pick<View, 'turns' | 'earlierTurns' | 'hidden'> & {
  /** The round during which an event arrived. */
  readonly during?: number;
};

/** The displayed names of a block and its call. */
type BlockNames = {
  readonly path?: string;
  readonly call: string;
  readonly names: ShortNames;
  /** The text that replaces its own. */
  readonly replacement?: string | undefined;
  /** The result of the call as the model sees it. */
  readonly resultText: () => string;
};

type Label = { readonly label: ItemLabel; readonly facts?: readonly (string | undefined)[] };
type ItemParts = Label & {
  readonly body?: string;
  readonly attached?: readonly InlineFile[];
  /** Facts of a block that has a text only once a prune has given it one. */
  readonly folded?: readonly string[];
};

const imageMimes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

/** Undefined for a block that is not shown. A hidden path shows its replacement text, unchanged, under its own label. */
export function toItem(block: Block, { hidden, during, ...view }: ItemContext): Item | undefined {
  const draw = draws[entryOf(block.type)?.policy.render ?? 'none'];
  if (!draw || !understands(block)) return undefined;
  const { seq, path } = block;
  const replacement = path === undefined || isSource(block) ? undefined : hidden.get(path);
  const named = { ...namedIn(view, block), replacement };
  const drawn = draw(block, named);
  if (!drawn) return undefined;
  const cut = block.meta['interrupted'] === true ? 'interrupted' : undefined;
  const own = namesItself.has(block.type) ? undefined : named.path;
  const facts = [...(drawn.facts ?? []), own, cut, arrival(block, during)];
  if (replacement !== undefined)
    return {
      seq,
      text: item(drawn.label, drawn.folded ?? [...facts, 'hidden'], quote(replacement)),
      as: 'hidden',
    };
  const { label, body, attached = [] } = drawn;
  return { seq, text: item(label, facts, body), ...(attached.length > 0 ? { attached } : {}) };
}

function namedIn(view: Omit<ItemContext, 'hidden'>, { turn, path, call }: Block): BlockNames {
  const names = shortNames(view);
  const resultText = () =>
    view.turns
      .find(({ id }) => id === turn)
      ?.rounds.flatMap(({ calls }) => calls)
      .find((each) => each.call === call)?.result?.text ?? '';
  const named = { names, resultText, call: call === undefined ? '?' : names.call(turn, call) };
  return path === undefined ? named : { ...named, path: names.path(path) };
}

/** Types without a path in their heading: a source has its sid in the label, a call its name; a notice is never read again. */
const namesItself: ReadonlySet<string> = new Set(['source.row', 'react.tool.call', 'react.notice']);

/** A source is hidden only in SOURCES, which is never cached. */
function isSource({ type }: Block): boolean {
  return type === 'source.row';
}

function arrival({ author }: Block, during: number | undefined): string | undefined {
  const outside = author === 'user' || author === 'world';
  return outside && during !== undefined ? `arrived during round ${during}` : undefined;
}

const draws: Readonly<
  Partial<Record<RenderAs, (block: Block, named: BlockNames) => ItemParts | undefined>>
> = {
  feedback: (_, { replacement }) =>
    replacement ? { label: 'TURN FEEDBACK', folded: [] } : undefined,
  event: drawEvent,
  attachment: drawAttachment,
  thinking: ({ text }) => ({ label: 'THINKING', body: quote(text ?? '') }),
  notes: ({ text }) => ({ label: 'NOTES', body: quote(text ?? '') }),
  remark: ({ text }) => ({ label: 'TIMELINE TEXT', body: quote(text ?? '') }),
  note: (block) => ({
    label: 'INTERNAL NOTE',
    facts: [tagged(dataOf('react.note', block)?.tag)],
    body: quote(block.text ?? ''),
  }),
  code: (block) => ({
    label: 'CODE',
    facts: [dataOf('react.code', block)?.language],
    body: quote(block.text ?? ''),
  }),
  canvas: drawCanvas,
  call: drawCall,
  result: drawResult,
  file: drawFile,
  notice: drawNotice,
  completion: drawCompletion,
  summary: ({ text }) => ({ label: 'WORKING SUMMARY', body: quote(text ?? '') }),
  close: drawClose,
  source: drawSource,
  tools: drawTools,
};

/** What the system text does not say about tools that have become visible since it was made. */
function drawTools({ text = '' }: Block): ItemParts | undefined {
  return text === '' ? undefined : { label: 'TOOLS', body: quote(text) };
}

/** A source is shown once, where it was found; SOURCES repeats it when that part is no longer in the prompt. */
function drawSource(block: Block): ItemParts {
  const { sid = 0, title = '', url = '' } = dataOf('source.row', block) ?? {};
  const facts = [brief(title, sourceTitleCharsMax), brief(url, sourceUrlCharsMax)];
  return { label: `SOURCE ${sid}`, facts };
}

/** Also shows the suggested followups, so that the model understands “yes, the second one”. */
function drawCompletion(block: Block): ItemParts {
  const { degraded, followups = [] } = dataOf('assistant.completion', block) ?? {};
  const offered = followups.length === 0 ? '' : `\n(offered next: ${followups.join(' · ')})`;
  return {
    label: 'ASSISTANT MESSAGE',
    facts: [degraded ? 'degraded' : undefined],
    body: quote(`${block.text ?? ''}${offered}`),
  };
}

function drawEvent(block: Block): ItemParts {
  return { ...eventLabel(block), body: quote(block.text || payloadText(block)) };
}

function eventLabel({ type, at }: Block): Label {
  switch (type) {
    case 'user.prompt':
      return { label: 'USER MESSAGE', facts: [at] };
    case 'external.followup':
      return { label: 'FOLLOWUP DURING TURN', facts: [at] };
    case 'external.steer':
      return { label: 'STEER DURING TURN', facts: [at] };
    case 'external.transcript':
      return { label: 'EARLIER MESSAGES, AS THE CLIENT SENT THEM', facts: [at] };
    default:
      return { label: 'EXTERNAL EVENT', facts: [type.replace(/^external\./, ''), at] };
  }
}

function payloadText({ type, data }: Block): string {
  const payload = isJsonObject(data) ? data['payload'] : undefined;
  if (payload !== undefined) return clip(JSON.stringify(payload), eventPayloadCharsMax);
  return type === 'external.steer' ? '(stop)' : '(no text)';
}

function drawAttachment(block: Block, { path }: BlockNames): ItemParts {
  const data = dataOf('user.attachment', block);
  const size = data?.size ?? block.blob?.size;
  const facts = [data?.filename, block.mime, size === undefined ? undefined : sizeText(size)];
  const text = block.text ?? '';
  // Of a PDF the text is kept beside its bytes.
  const of = data?.text?.size ?? size;
  const body = quote(beginning(text, { size: of, path }));
  return { label: 'USER ATTACHMENT', facts, body, attached: attachedImage(block) };
}

function attachedImage({ path, mime = '', blob, data }: Block): readonly InlineFile[] {
  if (path === undefined || blob === undefined || !imageMimes.has(mime)) return [];
  return [{ path, mime, blob, tokens: imageTokens(blob, pixelsOf(data ?? null)) }];
}

function pixelsOf(data: Json): { width: number; height: number } | undefined {
  if (!isJsonObject(data)) return undefined;
  const { width, height } = data;
  return typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
}

/** A canvas that shows a file is omitted: the prompt already shows the file and the call that wrote it. */
function drawCanvas(block: Block, { path }: BlockNames): ItemParts | undefined {
  const { name, title, file } = dataOf('canvas', block) ?? { name: '' };
  if (file !== undefined) return undefined;
  const facts = [name, title === name ? undefined : title, block.mime];
  return { label: 'CANVAS', facts, body: quote(clip(block.text ?? '', paramCharsMax, path)) };
}

function drawCall(block: Block, { path = '', call }: BlockNames): ItemParts {
  const { tool, input = {} } = dataOf('react.tool.call', block) ?? { tool: '?' };
  return {
    label: `TOOL CALL ${call}`,
    facts: [tool],
    body: quote(clipInput(withoutNotes(tool, input), path)),
  };
}

/** Notes to self are shown above the call that made them. */
function withoutNotes(tool: string, input: JsonObject): JsonObject {
  const noted = tool === 'react.write' && input['scratchpad'] === true;
  return noted ? { ...input, content: '(the notes above)' } : input;
}

function drawResult(block: Block, { path, call }: BlockNames): ItemParts {
  const { ok, ret, error, attached = [] } = dataOf('react.tool.result', block) ?? { ok: false };
  const status = ok ? 'ok' : `error ${error?.code ?? ''}`.trim();
  const json = error ? `${error.code}: ${error.message}` : JSON.stringify(ret ?? null);
  const said =
    block.text === undefined
      ? clip(json, resultJsonCharsMax, path)
      : clip(block.text, resultTextCharsMax, path);
  return {
    label: `TOOL RESULT ${call}`,
    facts: [status],
    body: quote(said),
    attached,
  };
}

/** Omits facts about a file that the result of its call already states. */
function drawFile(block: Block, { resultText, names }: BlockNames): ItemParts {
  const { size = 0, visibility, description = '' } = dataOf('artifact.file', block) ?? {};
  const inside = visibility === 'internal' ? 'internal' : undefined;
  const result = resultText();
  const facts = [block.mime, names.inText(description)].filter(
    (fact) => fact && !result.includes(fact),
  );
  return { label: 'FILE', facts: [...facts, sizeText(size), inside] };
}

function drawNotice(block: Block, { names }: BlockNames): ItemParts {
  const code = dataOf('react.notice', block)?.code ?? '';
  const violation = code.startsWith('protocol_violation.');
  return {
    label: violation ? 'PROTOCOL VIOLATION' : 'NOTICE',
    facts: [violation ? code.slice('protocol_violation.'.length) : code],
    body: quote(withNames(block, names)),
  };
}

/** The runtime wrote this text, so it may replace the ids in it. */
function withNames({ turn, text = '' }: Block, names: ShortNames): string {
  return names.inText(text).replace(/\btc_[\w-]+/g, (call) => names.call(turn, toCallId(call)));
}

/** A completed turn has no closing item; any other end is shown, so that the next turn can understand it. */
function drawClose(block: Block): ItemParts | undefined {
  const { reason = 'failed', error } = dataOf('turn.close', block) ?? {};
  if (reason === 'completed') return undefined;
  return {
    label: 'TURN CLOSED',
    facts: [reason],
    body: error ? quote(`${error.code}: ${error.message}`) : '',
  };
}

function tagged(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : `[${tag}]`;
}
