import { pathCharsMax, selectedSidsMax } from './limits.ts';

/**
 * A path taken apart. `conversation` is the owner named before the turn; absent: the one it is read in. `turn` and `call`
 * are ids or short names (`t3`, `c12`), as they were written: `toStored` gives the ids.
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

/** An owner is known by what follows it: clients name conversations as they like, though not as turns. */
const inConversation =
  /^(ar|tc|fi|so|ws|su):(?:(?!(?:[a-z]+_)?turn_)([^.:/\s]+)\.(?=(?:[a-z]+_)?turn_|t[1-9]\d{0,5}\.|sources_pool\[|plan\.latest:))?(.+)$/s;
const inCatalog = /^(sk|ks):(.+)$/s;
const inTurn = /^((?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.(.+)$/s;
const inCall = /^((?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.([\w-]+)\.(call|result|notice)$/;
const pool = /^sources_pool\[([^\]]*)\]$/;
const planAlias = /^plan\.latest:(\S+)$/;
const fileRoot =
  /^(?:files\/|outputs\/|user\.attachments\/|external\.[\w.-]+\.attachments\/[^/]+\/|code\.)(.+)$/s;

/** What a path says; undefined when it says nothing. A leading `conv:` is dropped, reversed ranges are turned around. */
export function parsePath(text: string): Path | undefined {
  if (text.length > pathCharsMax || hasControl(text)) return undefined;
  const plain = text.trim().replace(/^conv:/, '');
  const [, family, conversation, body] = inConversation.exec(plain) ?? [];
  if (family === undefined || body === undefined) return catalogPath(plain);
  const owned = conversation === undefined ? {} : { conversation };
  return parsers[family]?.(body, owned);
}

/** The path as text; of a path with ids, the one spelling under which it is stored and compared. */
export function formatPath(path: Path): string {
  if ('name' in path) return `${path.family}:${path.name}`;
  const owned = path.conversation === undefined ? '' : `${path.conversation}.`;
  switch (path.family) {
    case 'so':
      return `so:${owned}sources_pool[${selector(path.sids)}]`;
    case 'plan':
      return `ar:${owned}plan.latest:${path.plan}`;
    case 'tc':
      return `tc:${owned}${path.turn}.${path.call}.${path.part}`;
    default:
      return `${path.family}:${owned}${path.turn}.${path.rest}`;
  }
}

const ownerless =
  /\b(ar|tc|fi|so|ws|su):(?=(?:(?:[a-z]+_)?turn_[\w-]+|t[1-9]\d{0,5})\.|sources_pool\[|plan\.latest:)/g;

/** A text of another conversation, with its name in every path that names none, so that they lead there. */
export function withOwner(text: string, conversation: string): string {
  return text.replace(ownerless, `$1:${conversation}.`);
}

/** The paths that blocks are stored under, and the aliases made from them. */
export const paths = {
  prompt: (turn: string) => `ar:${turn}.user.prompt`,
  attachment: (turn: string, name: string) => `fi:${turn}.user.attachments/${name}`,
  external: (turn: string, kind: string, message: string) =>
    `ar:${turn}.external.${kind}.${message}`,
  externalAttachment: (turn: string, kind: string, file: string) =>
    `fi:${turn}.external.${kind}.attachments/${file}`,
  completion: (turn: string, n?: number) => `ar:${turn}.assistant.completion${numbered(n)}`,
  /** The user's own; whoever else judges has a key of its own. */
  feedback: (turn: string, key = 'user') => `ar:${turn}.feedback.${key}`,
  note: (turn: string, n: number) => `ar:${turn}.react.note.${n}`,
  notice: (turn: string, n: number) => `ar:${turn}.react.notice.${n}`,
  plan: (turn: string, plan: string) => `ar:${turn}.react.plan.${plan}`,
  /** Every plan of the conversation, computed when it is read. */
  planHistory: (turn: string) => `ar:${turn}.react.plan.history`,
  planLatest: (plan: string) => `ar:plan.latest:${plan}`,
  canvas: (turn: string, name: string) => `ar:${turn}.canvas.${name}`,
  turnIndex: (turn: string) => `ar:${turn}.react.turn.index`,
  call: (turn: string, call: string) => `tc:${turn}.${call}.call`,
  result: (turn: string, call: string) => `tc:${turn}.${call}.result`,
  callNotice: (turn: string, call: string) => `tc:${turn}.${call}.notice`,
  approval: (turn: string, part: 'request' | 'decision' | 'close', call: string) =>
    `ar:${turn}.approval.${part}.${call}`,
  agentCall: (turn: string, call: string) => `ar:${turn}.agent.call.${call}`,
  code: (turn: string, call: string) => `fi:${turn}.code.${call}`,
  /** `filepath` begins with `outputs/` or `files/`. */
  file: (turn: string, filepath: string) => `fi:${turn}.${filepath}`,
  source: (sid: number) => `so:sources_pool[${sid}]`,
  /** Without an attempt: the alias of the latest one. */
  summary: (turn: string, attempt?: number) =>
    `ws:${turn}.conv.working.summary${attempt === undefined ? '' : `.attempt.${attempt}`}`,
  /** The memory that a compaction made; a second one in the same turn is numbered. */
  memory: (turn: string, n = 1) => `su:${turn}.conv.range.summary${n === 1 ? '' : `.${n}`}`,
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

/** Whether a `so:` path names more sources than one path may: the rest is left out. */
export function isSelectionCut(text: string): boolean {
  const asked = pool.exec(text.trim().replace(/^.*(?=sources_pool\[)/s, ''))?.[1] ?? '';
  return (parseSelector(asked, selectedSidsMax + 1)?.length ?? 0) > selectedSidsMax;
}

/** `1,3-5` as sids, each once, in the order named, at most `sidsMax`; undefined when it is none. */
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

/** Neither absolute nor climbing, so that it may become a file name. */
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
