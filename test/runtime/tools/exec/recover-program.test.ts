import { beforeEach, expect, test } from 'vitest';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toConversationKey, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { createPathReader } from '../../../../runtime/tools/services/path-reader.ts';
import {
  append,
  newSender,
  own,
  prompt,
  request,
  signal,
} from '../../../contract/timeline-store/kit.ts';

const turn = toTurnId('turn_00000000000000000001');
const later = toTurnId('turn_00000000000000000002');
const sender = newSender('ann');
const state = {
  turns: [turn],
  covered: [],
  plans: [],
  sources: [{ sid: 1, title: 'Norms', url: 'https://a.example' }],
  hidden: [],
  pruned: [],
  pulled: [],
  standing: [],
};

/** Blocks of an earlier turn: a path of every family, and a word of its content. */
const left: readonly (readonly [path: string, text: string])[] = [
  [`ar:${turn}.user.prompt`, 'the rainfall of Seattle'],
  [`ar:${turn}.assistant.completion.1`, 'it rains'],
  [`ar:${turn}.assistant.completion`, 'it rains'],
  [`ar:${turn}.react.note.1`, 'likes rain'],
  [`ar:${turn}.react.turn.index`, 'TURN INDEX'],
  [`tc:${turn}.tc_1.call`, 'metrics.query'],
  [`tc:${turn}.tc_1.result`, '840'],
  [`fi:${turn}.code.tc_1`, 'print(840)'],
  [`fi:${turn}.outputs/rain.csv`, 'day,mm'],
  [`ws:${turn}.conv.working.summary`, 'Goal: rain'],
  [`ws:${turn}.conv.working.summary.attempt.1`, 'Goal: rain'],
  [`su:${later}.conv.range.summary`, 'Before: rain'],
  ['so:sources_pool[1]', 'Norms'],
];

/** In the short form that the model uses. */
function short(path: string): string {
  return path.replace(turn, 't1').replace(later, 't2').replace('.tc_1', '.c1');
}

async function openPast() {
  const store = openMemoryTimelineStore({ clock: manualClock() });
  const blobs = openMemoryBlobStore();
  const first = request(sender, {
    conversation: 'conv_past',
    newTurn: turn,
    events: [prompt('the rainfall of Seattle')],
  });
  const { key = toConversationKey(0) } = await store.accept(first, { signal });
  const lease = await own(store, key);
  const bytes = new TextEncoder().encode('day,mm');
  const blob = await blobs.put(sender.tenant, bytes, { signal });
  const agent = { turn, author: 'agent' } as const;
  const call = { ...agent, call: toCallId('tc_1') };
  const file = { filename: 'rain.csv', size: 6, visibility: 'external' };
  const round = { round: 1, as_of: 2, now: '2026-01-01T00:00:00.000Z', phase: 'decision' };
  const blocks: Draft[] = [
    { turn, type: 'round.open', author: 'system', data: round },
    {
      ...call,
      type: 'react.tool.call',
      path: toBlockPath(`tc:${turn}.tc_1.call`),
      data: { tool: 'metrics.query', input: {} },
    },
    { ...call, type: 'react.code', path: toBlockPath(`fi:${turn}.code.tc_1`), text: 'print(840)' },
    {
      ...call,
      type: 'artifact.file',
      path: toBlockPath(`fi:${turn}.outputs/rain.csv`),
      mime: 'text/csv',
      blob,
      data: file,
    },
    {
      ...call,
      type: 'source.row',
      path: toBlockPath('so:sources_pool[1]'),
      data: { sid: 1, title: 'Norms', url: 'https://a.example' },
    },
    {
      ...call,
      type: 'react.tool.result',
      path: toBlockPath(`tc:${turn}.tc_1.result`),
      text: '840',
      data: { ok: true, ret: 840 },
    },
    {
      ...agent,
      type: 'react.note',
      path: toBlockPath(`ar:${turn}.react.note.1`),
      text: 'likes rain',
      data: {},
    },
    {
      ...agent,
      type: 'assistant.completion',
      path: toBlockPath(`ar:${turn}.assistant.completion.1`),
      text: 'it rains',
    },
    {
      ...agent,
      type: 'conv.working.summary',
      path: toBlockPath(`ws:${turn}.conv.working.summary.attempt.1`),
      text: 'Goal: rain',
      data: {},
    },
    {
      turn,
      type: 'turn.close',
      author: 'system',
      data: { reason: 'completed', text: 'it rains', degraded: false },
    },
  ];
  await store.append(key, append(lease, { blocks, asOf: toSeq(2) }), { signal });
  await store.accept(
    request(sender, { conversation: 'conv_past', newTurn: later, events: [prompt('and now?')] }),
    { signal },
  );
  const window = 2 + blocks.length + 1;
  const data = {
    cause: 'limit',
    window,
    covers: { turns: 1, rounds: 0 },
    state,
    tokens_before: 9,
    tokens_after: 1,
  };
  const compact = {
    turn: later,
    type: 'view.compact',
    author: 'system',
    path: toBlockPath(`su:${later}.conv.range.summary`),
    text: 'Before: rain',
    data,
  } as const;
  await store.append(key, append(lease, { blocks: [compact], window: toSeq(window) }), { signal });
  return { store, blobs, key, window };
}

let past: Awaited<ReturnType<typeof openPast>>;
beforeEach(async () => {
  past = await openPast();
});

async function readerOf(user: string, conversation: string) {
  const { store, blobs } = past;
  const scope = { ...sender, user };
  const row = await store.find(scope, conversation, { signal });
  const { key = toConversationKey(0), windowSeq = 1 } = row ?? {};
  const blocks = await store.read(key, { after: toSeq(windowSeq - 1), limit: 1_000, signal });
  const view = foldAll(emptyView, blocks);
  return { view, ...createPathReader({ scope, conversation, key, view, store, blobs, signal }) };
}

async function textAt(reader: Awaited<ReturnType<typeof readerOf>>, path: string) {
  const found = await reader.read(path);
  return found && `${found.text ?? ''}${new TextDecoder().decode(await reader.bytes(found))}`;
}

// proves: memory.recovery, paths.both-spellings
test.each(left)('%s of a turn that was compacted away is read', async (path, text) => {
  const reader = await readerOf('ann', 'conv_past');
  expect(reader.view.turns.map(({ id }) => id)).toEqual([later]);
  expect(await textAt(reader, path)).toContain(text);
  expect(await textAt(reader, short(path))).toContain(text);
  expect(await reader.read(short(path))).toEqual(await reader.read(path));
});

test.each(left)(
  '%s can be read from another conversation of the same user, but not by other users',
  async (path, text) => {
    await past.store.accept(request(sender, { conversation: 'conv_now' }), { signal });
    const bob = { ...sender, user: 'bob' };
    await past.store.accept(request(bob, { conversation: 'conv_bob' }), { signal });
    const there = path.replace(':', ':conv_past.');
    const reader = await readerOf('ann', 'conv_now');
    expect(await textAt(reader, there)).toContain(text);
    expect((await reader.read(there))?.path).toMatch(/^\w+:conv_past\./);
    const again = await reader.read(short(path).replace(':', ':conv_past.'));
    expect(again).toEqual(await reader.read(there));
    const foreign = await readerOf('bob', 'conv_bob');
    expect(await foreign.read(there)).toBeUndefined();
    expect(await foreign.read(path)).toBeUndefined();
  },
);

const sections = [
  ...['summaries', 'messages', 'tools', 'interrupted'],
  ...['artifacts', 'notes', 'sources'],
];

test.each(['conv_past', 'conv_now'])(
  'from %s, an index lists messages and files under paths that can be read',
  async (here) => {
    await past.store.accept(request(sender, { conversation: 'conv_now' }), { signal });
    const reader = await readerOf('ann', here);
    const owner = here === 'conv_past' ? '' : 'conv_past.';
    const index = (await reader.read(`ar:${owner}${turn}.react.turn.index`))?.text ?? '';
    expect([...index.matchAll(/^## (\w+)/gm)].map(([, name]) => name)).toEqual(sections);
    const named = [...index.matchAll(/^- (\S+)/gm)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(6);
    for (const path of named) expect(await reader.read(path)).toBeDefined();
    for (const row of index.split('\n')) expect(row.length).toBeLessThan(320);
  },
);
