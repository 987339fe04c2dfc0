import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { withoutEncodedRuns } from '../base64-runs.ts';
import type { Block } from '../block.ts';
import { dataOf, entryOf, understands } from '../catalogue/catalogue.ts';
import { paramCharsMax } from '../limits.ts';
import { shortNames } from '../short-names.ts';
import type { RoundView } from '../view.ts';
import { clipParameters } from './clip-input.ts';
import type { ItemContext } from './items.ts';
import type { ChannelText, PastAnswer, PastCall, PastReply } from './replies/past-reply.ts';
import { clip } from './text.ts';

type ReplyBlocks = {
  readonly reply: PastReply;
  /** The blocks in it; the others are of the user's side. */
  readonly blocks: ReadonlySet<Block>;
};

type Source = {
  /** In reading order. */
  readonly blocks: readonly Block[];
  readonly calls: RoundView['calls'];
  readonly modelCall: Block | undefined;
};

/** What the model said in a round, as its blocks have it. A hidden path has its replacement. */
export function saidIn({ blocks, calls, modelCall }: Source, view: ItemContext): ReplyBlocks {
  const performed = new Set<string>(calls.map(({ call }) => call));
  const own = blocks.filter((block) => understands(block) && isOwn(block, performed));
  const of = (kind: string) => own.filter((block) => kindOf(block) === kind);
  const written = (kind: string) => of(kind).map((block) => shown(block, view));
  const reply = {
    thinking: written('thinking').filter(isText),
    texts: own.flatMap((block) => channelText(block, { performed, view })),
    calls: of('call').flatMap((block) => pastCall(block, { own, view })),
    canvases: of('canvas').map((block) => pastCanvas(block, view)),
    answers: of('completion').map((block) => pastAnswer(block, { modelCall, view })),
    summaries: written('summary').filter(isText),
  };
  return { reply, blocks: new Set(own) };
}

/** What the agent said in a round to those who follow it, in one text. */
export function remarksIn({ blocks }: Pick<RoundView, 'blocks'>): string {
  const remarks = blocks.filter(({ type }) => type === 'react.notes' || type === 'timeline_text');
  return remarks
    .map(({ text = '' }) => text)
    .join(' · ')
    .trim();
}

function kindOf({ type }: Block): string {
  return entryOf(type)?.policy.render ?? 'none';
}

function isText(text: string): boolean {
  return text.trim() !== '';
}

const always: ReadonlySet<string> = new Set([
  'thinking',
  'remark',
  'notes',
  'note',
  'call',
  'completion',
  'summary',
]);

/** A program without its call never ran, and a tool shows what a canvas with a call or a file shows. */
function isOwn(block: Block, performed: ReadonlySet<string>): boolean {
  const kind = kindOf(block);
  if (kind === 'code') return performed.has(block.call ?? '');
  if (kind !== 'canvas') return always.has(kind);
  return block.call === undefined && dataOf('canvas', block)?.file === undefined;
}

function shown({ path, text = '' }: Block, { hidden }: ItemContext): string {
  const replacement = path === undefined ? undefined : hidden.get(path);
  return replacement ?? withoutEncodedRuns(text);
}

type Reading = { readonly performed: ReadonlySet<string>; readonly view: ItemContext };

/** Texts that belong to no call: notes of a call stand in its decision, a note that a call made in its parameters. */
function channelText(block: Block, { performed, view }: Reading): readonly ChannelText[] {
  const kind = kindOf(block);
  const isPart = performed.has(block.call ?? '');
  if ((kind !== 'remark' && kind !== 'note' && kind !== 'notes') || isPart) return [];
  const text = shown(block, view);
  if (!isText(text)) return [];
  if (kind === 'note') return [{ channel: 'internal', text }];
  return [{ channel: kind === 'notes' ? 'timeline_text' : channelOf(block), text }];
}

/** A channel that a bundle declares is kept as a remark; its stream has its name. */
function channelOf({ data }: Block): string {
  const stream = isJsonObject(data) ? data['stream'] : undefined;
  const [, name] = /\.([\w-]+)\.\d+$/.exec(typeof stream === 'string' ? stream : '') ?? [];
  return name ?? 'timeline_text';
}

type Around = { readonly own: readonly Block[]; readonly view: ItemContext };

function pastCall(block: Block, { own, view }: Around): readonly PastCall[] {
  const { call, path } = block;
  if (call === undefined) return [];
  const { tool } = dataOf('react.tool.call', block) ?? { tool: '?' };
  const beside = (kind: string) => own.find((each) => each.call === call && kindOf(each) === kind);
  const notes = beside('notes');
  const code = beside('code');
  const replacement = path === undefined ? undefined : view.hidden.get(path);
  const past = {
    call,
    tool,
    notes: notes ? shown(notes, view) : '',
    input: replacement === undefined ? parameters(block, { own, view }) : { '…': replacement },
    ...(code ? { program: shown(code, view) } : {}),
  };
  return [past];
}

/** A note to self is kept whole, because this is the only place that shows it. */
function parameters(block: Block, { own, view }: Around): JsonObject {
  const { input = {} } = dataOf('react.tool.call', block) ?? {};
  const clipped = clipParameters(input, shortNames(view).path(block.path ?? ''));
  const note = own.find((each) => each.call === block.call && each.type === 'react.note');
  return note && 'content' in input ? { ...clipped, content: shown(note, view) } : clipped;
}

function pastCanvas(block: Block, view: ItemContext) {
  const { name, title } = dataOf('canvas', block) ?? { name: '' };
  const { mime, path = '' } = block;
  const text = clip(shown(block, view), paramCharsMax, shortNames(view).path(path));
  return {
    name,
    ...(mime === undefined ? {} : { mime }),
    ...(title === undefined ? {} : { title }),
    text,
  };
}

type Ending = { readonly modelCall: Block | undefined; readonly view: ItemContext };

function pastAnswer(block: Block, { modelCall, view }: Ending): PastAnswer {
  const { followups = [] } = dataOf('assistant.completion', block) ?? {};
  const output = isJsonObject(block.data) ? block.data['output'] : undefined;
  return {
    action: isExit(modelCall) ? 'exit' : 'complete',
    text: shown(block, view),
    followups,
    ...(output === undefined ? {} : { output }),
  };
}

function isExit(modelCall: Block | undefined): boolean {
  const actions = isJsonObject(modelCall?.data) ? modelCall.data['actions'] : undefined;
  if (!Array.isArray(actions)) return false;
  return actions.some((action) => isJsonObject(action) && action['kind'] === 'exit');
}
