import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { toRequest } from '../../../../runtime/timeline/cache/request.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { cacheBreak } from '../../../../runtime/timeline/render/cache-break.ts';
import type { ProviderCache } from '../../../bench/cache/provider.ts';
import { LogWriter } from '../logs/log-writer.ts';

const systemTokens = 3_000;
const announceTokens = 200;

/** The log as if a provider had billed each of its calls; `inputs` may change what a round records, by its place. */
export function billedBy(
  cache: ProviderCache,
  log: readonly Block[],
  inputs: (round: number) => JsonObject = () => ({}),
): readonly Block[] {
  let opened: Block | undefined;
  let rounds = 0;
  return log.map((block) => {
    const data = isJsonObject(block.data) ? block.data : {};
    if (block.type === 'round.open') {
      const tokens = { system: systemTokens, announce: announceTokens };
      const recorded = { ...data, hashes: { system: 's' }, tokens, ...inputs(rounds) };
      opened = { ...block, data: recorded };
      rounds += 1;
      return opened;
    }
    if (block.type !== 'model.call' || !opened) return block;
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = bill(cache, log, opened);
    const usage = {
      input_tokens: inputTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      output_tokens: 1,
    };
    return { ...block, data: { ...data, model: 'm', role: 'decision', usage } };
  });
}

function bill(cache: ProviderCache, log: readonly Block[], opened: Block) {
  const asOf = isJsonObject(opened.data) ? Number(opened.data['as_of']) : 0;
  const { parts, entries } = toRequest(foldAll(emptyView, log.slice(0, asOf)), opened);
  const sent = parts.map(({ key, tokens, in: where }, index) => ({
    text: where === 'tail' ? `${opened.seq}` : key,
    tokens,
    ...(entries.includes(index + 1) ? { mark: 'short' as const } : {}),
  }));
  return cache.meter(sent, Date.parse(opened.at));
}

type Story = {
  readonly turns?: number;
  /** Written between the two rounds of a turn. */
  readonly change?: (turn: number) => readonly Draft[];
  /** Comes in after the last round of a turn. */
  readonly late?: (turn: number) => readonly Draft[];
};

/** Turns of two rounds, each long enough for any provider. */
export function story({
  turns = 2,
  change = () => [],
  late = () => [],
}: Story = {}): readonly Block[] {
  const log = new LogWriter('conv_story');
  for (let turn = 1; turn <= turns; turn += 1) {
    const own = { turn: toTurnId(`turn_${turn}`) };
    const prompt = {
      ...own,
      type: 'user.prompt',
      author: 'user',
      path: paths.prompt(own.turn),
    } as const;
    log.append(
      { ...own, type: 'turn.open', author: 'system', data: {} },
      { ...prompt, text: words(turn, 0) },
    );
    round(log, turn, 1);
    log.append(...change(turn));
    round(log, turn, 2);
    log.append(...late(turn));
    log.append({ ...own, type: 'turn.close', author: 'system', data: { reason: 'completed' } });
  }
  return log.blocks;
}

function round(log: LogWriter, turn: number, number: number): void {
  const own = { turn: toTurnId(`turn_${turn}`) };
  const call = toCallId(`tc_${turn}_${number}`);
  const result = { ...own, type: 'react.tool.result', author: 'tool', call } as const;
  log.append(
    { ...own, type: 'round.open', author: 'system', data: { round: number, as_of: log.head } },
    { ...own, type: 'react.thinking', author: 'agent', text: 'Looking at it.', data: {} },
    { ...own, type: 'model.call', author: 'system', data: { model: 'm' } },
    {
      ...own,
      type: 'react.tool.call',
      author: 'agent',
      call,
      path: paths.call(own.turn, call),
      data: { tool: 'data.read', input: {} },
    },
    {
      ...result,
      path: paths.result(own.turn, call),
      text: words(turn, number),
      data: { ok: true },
    },
    { ...own, type: 'round.close', author: 'system', data: { round: number, outcome: 'acted' } },
  );
}

function words(turn: number, number: number): string {
  return `${turn}.${number} a value of a row of a table `.repeat(200);
}

/** The same log, with time that passes before its rounds: these milliseconds, one after the other, over and over. */
export function withPauses(log: readonly Block[], pausesMs: readonly number[]): readonly Block[] {
  let passedMs = 0;
  let rounds = 0;
  return log.map((block) => {
    if (block.type === 'round.open') {
      passedMs += pausesMs[rounds % pausesMs.length] ?? 0;
      rounds += 1;
    }
    return { ...block, at: new Date(Date.parse(block.at) + passedMs).toISOString() };
  });
}

export const hidden = paths.prompt(toTurnId('turn_2'));

/** The prompt of an earlier turn hidden in the middle of a later one, and declared. */
export function hide(turn: number, of = 'turn_2'): readonly Draft[] {
  const data = { path: paths.prompt(toTurnId(of)), replacement: 'short', cause: 'test' };
  return [
    { turn: toTurnId(`turn_${turn}`), type: 'view.hide', author: 'agent', data },
    cacheBreak({ turn: toTurnId(`turn_${turn}`), cause: 'hide' }),
  ];
}

/** In the third turn, without a word. */
export function silentHide(turn: number): readonly Draft[] {
  return turn === 3 ? hide(turn).slice(0, 1) : [];
}

export function declareCatalogue(turn: number): readonly Draft[] {
  return [cacheBreak({ turn: toTurnId(`turn_${turn}`), cause: 'catalogue' })];
}

/** More parts than a provider looks back. */
export function images(turn: number): readonly Draft[] {
  return Array.from({ length: 25 }, (_, n) => ({
    turn: toTurnId(`turn_${turn}`),
    type: 'user.attachment',
    author: 'user',
    path: paths.attachment(toTurnId(`turn_${turn}`), `${n}.png`),
    mime: 'image/png',
    blob: { hash: `sha256:${n}`, size: 1_000 },
    data: { filename: `${n}.png`, size: 1_000 },
  }));
}
