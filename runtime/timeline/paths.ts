import type { Brand } from '../base/brand.ts';
import type { CallId, TurnId } from './ids.ts';
import { pathCharsMax, selectedSidsMax } from './limits.ts';
import { parseResourceName } from './resource-names.ts';

/** The path of a block in the spelling in which it is stored and compared; a path from a model or client is parsed first. */
export type BlockPath = Brand<string, 'BlockPath'>;

/** Marks a path from a stored row, or one that was written by the runtime. */
export function toBlockPath(text: string): BlockPath {
  return text as BlockPath;
}

/**
 * A parsed path. `conversation` is the one named before the turn; absent: the conversation in which the path is read.
 * `turn` and `call` are ids or short names (`t3`, `c12`) as written; `toStored` converts them to ids.
 */
export type Path =
  | TurnPath
  | (InTurn & { readonly family: 'tc'; readonly call: string; readonly part: CallPart })
  | (InConversation & { readonly family: 'plan'; readonly plan: string })
  | (InConversation & { readonly family: 'so'; readonly sids: readonly number[] })
  | { readonly family: 'sk' | 'ks'; readonly name: string };
type TurnPath = InTurn & { readonly family: 'ar' | 'fi' | 'ws' | 'su'; readonly rest: string };
const callParts = ['call', 'result', 'notice'] as const;
type CallPart = (typeof callParts)[number];
type InConversation = { readonly conversation?: string };
type InTurn = InConversation & { readonly turn: string };

/** A conversation name is recognized by what follows it: clients may choose any name that does not look like a turn. */
const inConversation =
  /^(ar|tc|fi|so|ws|su):(?:(?!(?:[a-z]+_)?turn_)([^.:/\s]+)\.(?=(?:[a-z]+_)?turn_|t[1-9]\d{0,5}\.|sources_pool\[|plan\.latest:))?(.+)$/s;
const inCatalog = /^(sk|ks):(.+)$/s;
const inTurn = /^((?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.(.+)$/s;
const inCall = /^((?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.([\w-]+)\.(call|result|notice)$/;
const pool = /^sources_pool\[([^\]]*)\]$/;
const planAlias = /^plan\.latest:(\S+)$/;
const fileRoot =
  /^(?:files\/|outputs\/|user\.attachments\/|external\.[\w.-]+\.attachments\/[^/]+\/|code\.)(.+)$/s;

/**
 * Parses a path; undefined if it is invalid. Drops a leading `conv:` and corrects reversed ranges. A resource name (`ef:…`) is
 * the path of its file in its conversation; readers see only the conversations of their own user.
 */
export function parsePath(text: string): Path | undefined {
  if (text.length > pathCharsMax || hasControl(text)) return undefined;
  const named = text.startsWith('ef:') ? parseResourceName(text) : undefined;
  const plain = named?.path ?? text.trim().replace(/^conv:/, '');
  const [, family, conversation, body] = inConversation.exec(plain) ?? [];
  if (family === undefined || body === undefined) return catalogPath(plain);
  const owned = conversation === undefined ? {} : { conversation };
  return parsers[family]?.(body, owned);
}

/** The path as text. For a path with ids this is the only spelling that is stored and compared. */
export function formatPath(path: Path): BlockPath {
  if ('name' in path) return toBlockPath(`${path.family}:${path.name}`);
  const owned = path.conversation === undefined ? '' : `${path.conversation}.`;
  switch (path.family) {
    case 'so':
      return toBlockPath(`so:${owned}sources_pool[${selector(path.sids)}]`);
    case 'plan':
      return toBlockPath(`ar:${owned}plan.latest:${path.plan}`);
    case 'tc':
      return toBlockPath(`tc:${owned}${path.turn}.${path.call}.${path.part}`);
    default:
      return toBlockPath(`${path.family}:${owned}${path.turn}.${path.rest}`);
  }
}

const ownerless =
  /\b(ar|tc|fi|so|ws|su):(?=(?:(?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.|sources_pool\[|plan\.latest:)/g;

/** Adds the name of a conversation to every path in a text that names none, so that the paths work elsewhere. */
export function withOwner(text: string, conversation: string): string {
  return text.replace(ownerless, `$1:${conversation}.`);
}

/** The paths of stored blocks, and their aliases. */
export const paths = {
  prompt: (turn: TurnId) => toBlockPath(`ar:${turn}.user.prompt`),
  attachment: (turn: TurnId, name: string) => toBlockPath(`fi:${turn}.user.attachments/${name}`),
  external: (turn: TurnId, kind: string, message: string) =>
    toBlockPath(`ar:${turn}.external.${kind}.${message}`),
  externalAttachment: (turn: TurnId, kind: string, file: string) =>
    toBlockPath(`fi:${turn}.external.${kind}.attachments/${file}`),
  completion: (turn: TurnId, n?: number) =>
    toBlockPath(`ar:${turn}.assistant.completion${numbered(n)}`),
  /** The key `user` is the user's own feedback; other sources have other keys. */
  feedback: (turn: TurnId, key = 'user') => toBlockPath(`ar:${turn}.feedback.${key}`),
  note: (turn: TurnId, n: number) => toBlockPath(`ar:${turn}.react.note.${n}`),
  notice: (turn: TurnId, n: number) => toBlockPath(`ar:${turn}.react.notice.${n}`),
  plan: (turn: TurnId, plan: string) => toBlockPath(`ar:${turn}.react.plan.${plan}`),
  /** Every plan of the conversation, computed on reading. */
  planHistory: (turn: TurnId) => toBlockPath(`ar:${turn}.react.plan.history`),
  planLatest: (plan: string) => toBlockPath(`ar:plan.latest:${plan}`),
  canvas: (turn: TurnId, name: string) => toBlockPath(`ar:${turn}.canvas.${name}`),
  turnIndex: (turn: TurnId) => toBlockPath(`ar:${turn}.react.turn.index`),
  call: (turn: TurnId, call: CallId) => toBlockPath(`tc:${turn}.${call}.call`),
  result: (turn: TurnId, call: CallId) => toBlockPath(`tc:${turn}.${call}.result`),
  callNotice: (turn: TurnId, call: CallId) => toBlockPath(`tc:${turn}.${call}.notice`),
  approval: (turn: TurnId, part: 'request' | 'decision' | 'close', request: string) =>
    toBlockPath(`ar:${turn}.approval.${part}.${request}`),
  agentCall: (turn: TurnId, call: CallId, step?: string) =>
    toBlockPath(`ar:${turn}.agent.call.${call}${step === undefined ? '' : `.${step}`}`),
  agentPlan: (turn: TurnId, call: CallId) => toBlockPath(`ar:${turn}.agent.plan.${call}`),
  agentResult: (turn: TurnId, call: CallId, step: string) =>
    toBlockPath(`ar:${turn}.agent.result.${call}.${step}`),
  code: (turn: TurnId, call: CallId) => toBlockPath(`fi:${turn}.code.${call}`),
  /** `filepath` begins with `outputs/` or `files/`. */
  file: (turn: TurnId, filepath: string) => toBlockPath(`fi:${turn}.${filepath}`),
  source: (sid: number) => toBlockPath(`so:sources_pool[${sid}]`),
  /** Without an attempt: the alias of the latest summary. */
  summary: (turn: TurnId, attempt?: number) =>
    toBlockPath(
      `ws:${turn}.conv.working.summary${attempt === undefined ? '' : `.attempt.${attempt}`}`,
    ),
  /** The memory that a compaction created; the second one in a turn has the number 2. */
  memory: (turn: TurnId, n = 1) =>
    toBlockPath(`su:${turn}.conv.range.summary${n === 1 ? '' : `.${n}`}`),
};

function numbered(n: number | undefined): string {
  return n === undefined ? '' : `.${n}`;
}

type Parse = (body: string, owned: InConversation) => Path | undefined;

const parsers: Readonly<Record<string, Parse>> = {
  ar: (body, owned) => {
    const plan = planAlias.exec(body)?.[1];
    return plan === undefined ? turnPath('ar', body, owned) : { family: 'plan', ...owned, plan };
  },
  ws: (body, owned) => turnPath('ws', body, owned),
  su: (body, owned) => turnPath('su', body, owned),
  fi: (body, owned) => {
    const path = turnPath('fi', body, owned);
    const file = fileRoot.exec(path?.rest ?? '')?.[1];
    return file !== undefined && isSafe(file) ? path : undefined;
  },
  tc: (body, owned) => {
    const [, turn, call, part] = inCall.exec(body) ?? [];
    const known = callParts.find((each) => each === part);
    if (turn === undefined || call === undefined || known === undefined) return undefined;
    return { family: 'tc', ...owned, turn, call, part: known };
  },
  so: (body, owned) => {
    const sids = parseSelector(pool.exec(body)?.[1] ?? '');
    return sids && { family: 'so', ...owned, sids };
  },
};

function turnPath(
  family: TurnPath['family'],
  body: string,
  owned: InConversation,
): TurnPath | undefined {
  const [, turn, rest] = inTurn.exec(body) ?? [];
  return turn === undefined || rest === undefined ? undefined : { family, ...owned, turn, rest };
}

function catalogPath(text: string): Path | undefined {
  const [, family, name = ''] = inCatalog.exec(text) ?? [];
  if (family === undefined || !isSafe(name)) return undefined;
  return { family: family === 'sk' ? 'sk' : 'ks', name };
}

/** Whether a `so:` path names more sources than allowed, so that the rest is ignored. */
export function isSelectionCut(text: string): boolean {
  const asked = pool.exec(text.trim().replace(/^.*(?=sources_pool\[)/s, ''))?.[1] ?? '';
  return (parseSelector(asked, selectedSidsMax + 1)?.length ?? 0) > selectedSidsMax;
}

/** `1,3-5` as sids, each once, in the given order, at most `sidsMax`; undefined if invalid. */
export function parseSelector(
  text: string,
  sidsMax = selectedSidsMax,
): readonly number[] | undefined {
  const sids = new Set<number>();
  for (const item of text.split(',')) {
    const [, from, to] = /^\s*(\d{1,7})\s*(?:[-:]\s*(\d{1,7})\s*)?$/.exec(item) ?? [];
    if (from === undefined) return undefined;
    const ends = [Number(from), Number(to ?? from)];
    const high = Math.max(...ends);
    for (let sid = Math.max(1, Math.min(...ends)); sid <= high && sids.size < sidsMax; sid += 1) {
      sids.add(sid);
    }
  }
  return sids.size === 0 ? undefined : [...sids];
}

/** Runs of consecutive sids become ranges: `1,3-5`. */
function selector(sids: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const sid of sids) {
    const last = runs.at(-1);
    if (last && last.to + 1 === sid) last.to = sid;
    else runs.push({ from: sid, to: sid });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** Not absolute and without `..`, so it may be used as a file name. */
function isSafe(name: string): boolean {
  return (
    !name.startsWith('/') && !name.split(/[/\\]/).some((step) => step === '..' || step === '.')
  );
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
