import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { Cancelled } from '../../../runtime/base/signal.ts';
import { toCallId } from '../../../runtime/timeline/ids.ts';
import type { CallContext } from '../../../runtime/tools/ports/tool.ts';
import { createReadableLog } from '../../runtime/sdk/kit.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../../runtime/tools/kit.ts';
import { type Desk, openDesk, removeBuilt } from './kit.ts';

const secrets: Readonly<Record<string, string>> = { KEY: 'hunter2hunter2', OWN: 'of ann' };

afterAll(removeBuilt);

// proves: supervisor.same
/** What a tool of a bundle may rely on, wherever its code runs. */
describe.each(['in_worker', 'separate'] as const)('tools of a bundle, %s', (where) => {
  const { log, lines } = createReadableLog();
  const open: Promise<Desk> = openDesk({
    where,
    props: { region: 'eu' },
    host: {
      log,
      secret: async ({ id, user, for: whose }) =>
        whose === 'user' && user !== 'ann' ? undefined : secrets[id],
      generate: async ({ output, prompt }) => {
        const fits = [await output?.parse({ n: 'none' }), await output?.parse({ n: '7' })];
        if (output) expect(fits).toMatchObject([{ ok: false }, { ok: true, value: { n: 7 } }]);
        return output ? { n: '7' } : `about ${prompt}`;
      },
    },
  });
  afterAll(async () => (await open)[Symbol.asyncDispose]());

  test('input is mended, parsed and refused with a path before run', async () => {
    const [desk, world] = [await open, await openWorld()];
    expect(ret(await world.perform(desk.tool('add'), { a: '2' }))).toBe(3);
    expect(error(await world.perform(desk.tool('add'), { a: 'two' }))).toMatchObject({
      code: 'invalid_input',
      violations: [{ path: 'a' }],
    });
  });

  test('a preset is asked of the context of its call, and props are the operator’s', async () => {
    const [desk, world] = [await open, await openWorld()];
    const asked = { tenant: 'evil', n: 1 };
    const whose = await world.perform(desk.tool('whose'), asked, { call: toCallId('tc_w') });
    expect(ret(whose)).toEqual(['acme ann main key_tc_w', 1, 'eu']);
  });

  // proves: tools.cumulative
  test('of a stream that yields its whole text so far, clients get what is new and the model the last text', async () => {
    const [desk, world] = [await open, await openWorld()];
    const performed = await world.perform(desk.tool('types'), {});
    expect(ret(performed)).toBe('Three');
    const steps = blocksOf(performed, 'react.tool.progress');
    expect(steps.map(({ text }) => text)).toEqual(['One', ', two', 'Three']);
    expect(steps[1]).toMatchObject({ data: { append: true } });
  });

  test('what a generator yields is progress, what it returns is the result', async () => {
    const [desk, world] = [await open, await openWorld()];
    const performed = await world.perform(desk.tool('count'), {});
    expect(ret(performed)).toEqual({ done: true });
    const steps = blocksOf(performed, 'react.tool.progress');
    expect(steps).toMatchObject([
      { text: 'one' },
      { text: 'two', data: { fraction: 0.5, data: { at: 2 } } },
    ]);
  });

  test('a refusal means the same returned or thrown', async () => {
    const [desk, world] = [await open, await openWorld()];
    for (const thrown of [true, false]) {
      expect(error(await world.perform(desk.tool('no'), { thrown }))).toEqual({
        code: 'closed',
        message: 'We are closed.',
        retryable: true,
      });
    }
  });

  test('an exception is a short masked message, a fault its code, an unfit result a failure', async () => {
    const [desk, world] = [await open, await openWorld()];
    const failure = async (how: string) => error(await world.perform(desk.tool('fails'), { how }));
    expect(await failure('error')).toMatchObject({
      code: 'tool_failed',
      message: 'the key is •••',
    });
    expect(await failure('fault')).toMatchObject({ code: 'SECRET_MISSING', retryable: false });
    expect((await failure('output'))?.message).toMatch(/does not fit its output/);
    expect(JSON.stringify(lines)).toContain('tool failed');
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  test('pages, facts, notes, sources and files belong to the call, in the order they were made', async () => {
    const [desk, world] = [await open, await openWorld()];
    const performed = await world.perform(desk.tool('makes'), {}, { call: toCallId('tc_m') });
    expect(ret(performed)).toEqual({
      sid: 1,
      file: {
        path: `fi:${turn}.outputs/a.txt`,
        filename: 'a.txt',
        mime: 'text/plain',
        size: 5,
        visibility: 'internal',
      },
    });
    expect(performed.blocks.map(({ type }) => type)).toEqual([
      ...['react.tool.progress', 'react.note', 'source.row', 'artifact.file', 'canvas'],
      'react.tool.result',
    ]);
    expect(blocksOf(performed, 'canvas')[0]?.text).toBe('a b •••');
    const shown = world.live.map((piece) => (piece.kind === 'live' ? piece.type : piece.channel));
    expect([...new Set(shown)]).toEqual(['chat.tool.progress', 'canvas', 'desk.fact']);
  });

  test('a file of any size goes through in pieces, both ways', async () => {
    const [desk, world] = [await open, await openWorld()];
    const written = ret(await world.perform(desk.tool('stores'), { chunks: 9 })) as {
      ref: { path: string; size: number };
      hash: string;
    };
    expect(written.ref.size).toBe(6_300_000);
    const read = await world.perform(desk.tool('reads'), { path: written.ref.path });
    expect(ret(read)).toEqual({ bytes: 6_300_000, hash: written.hash });
  });

  test('a file that its tool cannot finish is refused in the tool’s own words', async () => {
    const [desk, world] = [await open, await openWorld()];
    const torn = await world.perform(desk.tool('stores'), { chunks: 1, fail: true });
    expect(error(torn)).toMatchObject({ code: 'torn', message: 'The paper is torn.' });
    expect(blocksOf(torn, 'artifact.file')).toEqual([]);
  });

  test('a result of many million characters arrives whole', async () => {
    const [desk, world] = [await open, await openWorld()];
    const said = await world.perform(desk.tool('says'), { chars: 3_000_002 });
    expect(ret(said)).toBe('\u{1f600}'.repeat(1_500_001));
  });

  test('a result of more characters than are passed is a file with all of them', async () => {
    const [desk, world] = [await open, await openWorld()];
    const said = ret(
      await world.perform(desk.tool('says'), { chars: 17_000_000 }, { call: toCallId('tc_s') }),
    );
    const path = `fi:${turn}.outputs/results/tc_s.txt`;
    expect(said).toMatchObject({ path, size: 34_000_000, mime: 'text/plain' });
    const read = await world.perform(desk.tool('reads'), { path });
    const text = Buffer.from('\u{1f600}'.repeat(8_500_000));
    const hash = createHash('sha256').update(text).digest('hex');
    expect(ret(read)).toEqual({ bytes: 34_000_000, hash });
  });

  test('a stopped call ends with its reason and what it had yielded', async () => {
    const [desk, world] = [await open, await openWorld()];
    const stop = new AbortController();
    world.live.push = (...pieces) => {
      if (pieces.some((piece) => piece.kind === 'live' && piece.type === 'desk.waiting'))
        stop.abort(new Cancelled('steer'));
      return 0;
    };
    const performed = await world.perform(desk.tool('waits'), {}, { signal: stop.signal });
    expect(performed.result).toMatchObject({
      ok: false,
      error: { code: 'interrupted', retryable: true },
      ret: { yielded: [{ text: 'first step' }] },
    });
  });

  test('a call that exceeds its time gets a timeout', async () => {
    const [desk, world] = [await open, await openWorld()];
    const late = await world.perform(desk.tool('waits'), {}, { timeoutMs: 50 });
    expect(error(late)).toMatchObject({ code: 'timeout', retryable: true });
  });

  test('a tool calls another one, which may be journalled as a call of its own', async () => {
    const [desk, world] = [await open, await openWorld()];
    expect(ret(await world.perform(desk.tool('calls'), {}))).toEqual([3, 'We are closed.']);
    const tool = desk.tool('calls');
    const context = await world.contextOf(tool, {});
    const made: string[] = [];
    const callTool: CallContext['callTool'] = async (id, input) => {
      made.push(`${id} ${JSON.stringify(input)}`);
      return { ok: true, ret: 30 };
    };
    const { result } = await tool.run({}, { ...context, callTool });
    expect(result).toEqual({ ok: true, ret: [30, 30] });
    expect(made).toEqual(['desk.no {"thrown":true}', 'desk.add {"a":1,"b":2}']);
  });

  test('approval is asked of the tool’s own function', async () => {
    const [desk, world] = [await open, await openWorld()];
    const tool = desk.tool('careful');
    const consider = async (depth: number) =>
      tool.consider?.({ depth }, await world.contextOf(tool, { depth }));
    expect(await consider(1)).toEqual({ ok: true });
    const question = { title: 'Go 2 deep, ann?', remember: 'turn', timeoutMs: 120_000 };
    expect(await consider(2)).toEqual({ ok: true, ask: question });
    expect(await consider(10)).toMatchObject({ ok: false, error: { code: 'too_deep' } });
    const context = await world.contextOf(tool, { depth: 2 });
    const unasked = await tool.run({ depth: 2 }, context);
    expect(unasked.result).toMatchObject({ ok: false, error: { code: 'denied' } });
    const asked = await tool.run({ depth: 2 }, { ...context, approved: context.key });
    expect(asked.result).toEqual({ ok: true, ret: 2 });
    expect(desk.tool('add').consider).toBeUndefined();
  });

  test('values are kept for the bundle, the user and the conversation', async () => {
    const [desk, world] = [await open, await openWorld()];
    const kept = ret(await world.perform(desk.tool('keeps'), {}));
    expect(kept).toMatchObject({ keys: ['a'], read: ['two', { three: 3 }], none: true });
    expect(JSON.stringify(kept)).toContain('STORED_INVALID');
  });

  test('a model is asked for a tool, and its schema judges the answer', async () => {
    const [desk, world] = [await open, await openWorld()];
    expect(ret(await world.perform(desk.tool('thinks'), {}))).toEqual(['about hi', { n: 7 }]);
  });

  test('a resource is opened once', async () => {
    const [desk, world] = [await open, await openWorld()];
    expect(ret(await world.perform(desk.tool('uses'), {}))).toBe(1);
    expect(ret(await world.perform(desk.tool('uses'), {}))).toBe(2);
  });

  test('memory and the log are read as the user may', async () => {
    const [desk, world] = [await open, await openWorld()];
    const [found, turns, text, none] = ret(
      await world.perform(desk.tool('remembers'), {}),
    ) as unknown[];
    expect(JSON.stringify(found)).toContain(past);
    expect([turns, text]).toEqual([1, 'hello from conv_main']);
    expect(none).toMatch(/Nothing found at/);
  });

  test('secrets and props are its own', async () => {
    const [desk, world] = [await open, await openWorld()];
    const known = ret(await world.perform(desk.tool('knows'), {}));
    expect(known).toMatchObject({ key: true, own: true, region: 'eu' });
  });

  test('what is shown beyond measure is dropped with a notice, and nothing is thrown', async () => {
    const [desk, world] = [await open, await openWorld()];
    const performed = await world.perform(desk.tool('shouts'), {});
    expect(ret(performed)).toBe('done');
    const notices = blocksOf(performed, 'react.notice').map(({ data }) => data);
    expect(notices).toContainEqual({ code: 'live_limit' });
    expect(world.live.length).toBeLessThanOrEqual(20_000);
  });

  test('many calls at the same time are answered each its own', async () => {
    const [desk, world] = [await open, await openWorld()];
    const tool = desk.tool('sleeps_none');
    const context = await world.contextOf(tool, {});
    const words = Array.from({ length: 50 }, (_, n) => `word ${n}`);
    const answers = await Promise.all(
      words.map((say, n) => {
        const { signal } = new AbortController();
        return tool.run({ ms: (n * 7) % 40, say }, { ...context, signal });
      }),
    );
    expect(answers.map(({ result }) => result.ok && result.ret)).toEqual(words);
  });
});
