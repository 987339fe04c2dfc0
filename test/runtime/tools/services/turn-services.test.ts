import { expect, test } from 'vitest';
import { z } from 'zod';
import { isRefusal } from '../../../../runtime/base/refusal.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { createTurnLedger } from '../../../../runtime/tools/services/turn-ledger.ts';
import { openWorld, past, turn } from '../kit.ts';

const idle = createTool({
  id: 'demo.idle',
  kind: 'bundle',
  description: 'idles',
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: null } }),
});

async function code(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'resolved',
    (reason: unknown) => (isRefusal(reason) ? reason.code : String(reason)),
  );
}

test('a path is read in this log, with its aliases, and only in conversations of the same user', async () => {
  const world = await openWorld();
  const mine = await world.openConversation('conv_mine', 'ann');
  await world.append(
    [
      {
        turn: past,
        type: 'assistant.completion',
        author: 'agent',
        path: toBlockPath(`ar:${past}.assistant.completion.1`),
        text: 'said',
        data: { n: 1, stream: 's', degraded: false },
      },
    ],
    mine,
  );
  await world.openConversation('conv_his', 'bob');
  const { services } = await world.contextOf(idle, {});
  expect((await services.read(`ar:${past}.user.prompt`))?.text).toBe('hello from conv_main');
  expect((await services.read(`conv:ar:conv_main.${past}.user.prompt`))?.text).toBe(
    'hello from conv_main',
  );
  const other = await services.read(`ar:conv_mine.${past}.assistant.completion`);
  expect(other).toMatchObject({
    text: 'said',
    path: toBlockPath(`ar:conv_mine.${past}.assistant.completion.1`),
  });
  expect(await services.read(`ar:conv_his.${past}.user.prompt`)).toBeUndefined();
  expect(await services.read(`ar:conv_none.${past}.user.prompt`)).toBeUndefined();
  expect(await services.read('nonsense')).toBeUndefined();
});

test('skills and knowledge are answered by their resolvers', async () => {
  const skill = async (name: string) => ({
    path: toBlockPath(`sk:${name}`),
    mime: 'text/markdown',
    text: 'do it',
  });
  const world = await openWorld({ resolvers: { skill } });
  const { services } = await world.contextOf(idle, {});
  expect((await services.read('sk:acme.report'))?.text).toBe('do it');
  expect(await services.read('ks:docs/a.md')).toBeUndefined();
});

test('a file is durable when it is written, and its place and size are checked', async () => {
  const world = await openWorld();
  const { services } = await world.contextOf(idle, {});
  const bytes = new TextEncoder().encode('<p>hi</p>');
  const file = await services.writeFile({
    filepath: 'outputs/r/page.html',
    bytes,
    visibility: 'internal',
    description: 'a page',
  });
  expect(file).toEqual({
    path: toBlockPath(`fi:${turn}.outputs/r/page.html`),
    filename: 'page.html',
    mime: 'text/html',
    size: 9,
    visibility: 'internal',
  });
  await world.append(services.take());
  const next = await world.contextOf(idle, {});
  const resolved = await next.services.read(file.path);
  expect(resolved && new TextDecoder().decode(await next.services.bytes(resolved))).toBe(
    '<p>hi</p>',
  );
  expect(await code(next.services.writeFile({ filepath: 'page.html', bytes }))).toBe(
    'path_refused',
  );
  expect(await code(next.services.writeFile({ filepath: '../page.html', bytes }))).toBe(
    'path_refused',
  );
});

// proves: tools.file-mime
test.each(['text/html\r\nX-A: b', 'text/csv; charset=utf-8', 'text', '', `a/${'b'.repeat(300)}`])(
  'a file is not written with the mime %j',
  async (mime) => {
    const { services } = await (await openWorld()).contextOf(idle, {});
    const file = { filepath: 'outputs/a.html', bytes: new Uint8Array([1]), mime };
    expect(await code(services.writeFile(file))).toBe('invalid_mime');
  },
);

// proves: timeline.sources
test('sources keep their sids across concurrent calls, and the same address is the same source', async () => {
  const world = await openWorld();
  const view = await world.view();
  const ledger = createTurnLedger(view, turn);
  const one = ledger.addSources(view.sources, [
    { url: 'https://A.io/x/?utm_source=q#top', title: 'A' },
    { url: 'https://b.io', title: 'B' },
  ]);
  const two = ledger.addSources(view.sources, [
    { url: 'https://a.io/x', title: 'again' },
    { url: 'https://c.io', title: 'C', text: 'c' },
  ]);
  expect(one.cited.map(({ sid }) => sid)).toEqual([1, 2]);
  expect(two.cited.map(({ sid }) => sid)).toEqual([1, 3]);
  expect(two.changed.map(({ sid }) => sid)).toEqual([3]);
  const more = ledger.addSources(view.sources, [
    { url: 'https://a.io/x', title: 'A', text: 'now with text' },
  ]);
  expect(more.changed).toMatchObject([{ sid: 1, text: 'now with text' }]);
});

test('a full pool refuses new sources with a notice and still returns existing ones', async () => {
  const ledger = createTurnLedger(await (await openWorld()).view(), turn);
  const many = Array.from({ length: 2_000 }, (_, n) => ({ url: `https://a.io/${n}`, title: '' }));
  expect(ledger.addSources([], many).cited.at(-1)?.sid).toBe(2_000);
  const more = ledger.addSources([], [{ url: 'https://new.io', title: '' }, ...many.slice(0, 1)]);
  expect([more.refused, more.cited.map(({ sid }) => sid)]).toEqual([1, [1]]);
});

// proves: canvas.checked
test('a canvas whose mime, name or title is not valid is refused', async () => {
  const world = await openWorld();
  const { services } = await world.contextOf(idle, {});
  expect(() => services.canvas('p.md', { mime: 'markdown' })).toThrow(
    expect.objectContaining({ code: 'invalid_canvas' }),
  );
  const html = { mime: 'text/html' };
  expect(() => services.canvas('a\nb', html)).toThrow(/its name is not one line/);
  expect(() => services.canvas('a', { ...html, title: 'a\rb' })).toThrow(
    /its title is not one line/,
  );
  expect(services.take()).toEqual([]);
});

test('a canvas is streamed and becomes one block when its writer closes it or the call ends', async () => {
  const world = await openWorld();
  const { services, call } = await world.contextOf(idle, {});
  const page = services.canvas('p.md', { mime: 'text/markdown', title: 'P' });
  page.write('a\ud83d');
  page.write('\ude00b');
  await page.close();
  page.write('ignored');
  services.canvas('q.md', { mime: 'text/markdown' }).write('left open');
  const stream = `${turn}.1.canvas.${call}.1`;
  expect(services.take()).toMatchObject([
    {
      type: 'canvas',
      path: toBlockPath(`ar:${turn}.canvas.p.md`),
      mime: 'text/markdown',
      text: 'a😀b',
      data: { name: 'p.md', title: 'P', stream },
    },
    { type: 'canvas', text: 'left open' },
  ]);
  const shown = world.live.filter((piece) => piece.kind === 'delta' && piece.stream === stream);
  expect(shown).toMatchObject([
    { text: 'a', offset: 0 },
    { text: '😀b', offset: 1 },
    { text: '', offset: 4, completed: true },
  ]);
});

test('progress is shown immediately and kept with the call; notes are numbered within the turn', async () => {
  const world = await openWorld();
  const { services } = await world.contextOf(idle, {});
  services.progress({ text: 'one', data: { n: 1 } });
  services.note('remember', { tag: 'P' });
  services.note('this');
  expect(world.live).toMatchObject([
    { kind: 'live', type: 'chat.tool.progress', data: { text: 'one', data: { n: 1 } } },
  ]);
  expect(services.take().map(({ type, path, text }) => [type, path, text])).toEqual([
    ['react.tool.progress', undefined, 'one'],
    ['react.note', `ar:${turn}.react.note.1`, 'remember'],
    ['react.note', `ar:${turn}.react.note.2`, 'this'],
  ]);
});

test('over a limit, live pieces are dropped with one notice and never an exception', async () => {
  const world = await openWorld();
  const { services } = await world.contextOf(idle, {});
  for (let step = 0; step < 300; step += 1) services.progress({ text: `${step}` });
  services.emit('app.big', 'x'.repeat(70_000));
  const drafts = services.take();
  expect(drafts.filter(({ type }) => type === 'react.tool.progress')).toHaveLength(200);
  expect(drafts.filter(({ type }) => type === 'react.notice').map(({ data }) => data)).toEqual([
    { code: 'progress_limit' },
    { code: 'live_limit' },
  ]);
});
