import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { connect } from '../../../runtime/client/index.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { append, close, longMs, request, signal } from '../../contract/timeline-store/kit.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openModelWire } from '../../tools/services/model-wire.ts';
import { openPlace, type Place, processesOf } from './place.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

let place: Place;
/** What looks at a timeline goes through it. */
let server: Served;
let conversation = '';
beforeAll(async () => {
  place = await openPlace();
  server = await startServe({ ...place.env, TIMELOOM_PORT: '1' }, 'serve', ['--port', '0']);
  await using client = connect({ url: server.url, user: 'ann' });
  const opened = client.conversation();
  const turn = await opened.send('Hello?');
  expect((await turn.done()).text).toBe('Hello.');
  conversation = opened.id;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  expect(await processesOf(place.dir)).toEqual([]);
  await place[Symbol.asyncDispose]();
});

test('help teaches the commands and the settings', async () => {
  const shown = [await place.runApart([])];
  for (const args of [['--help'], ['help'], ['-h']]) shown.push(await place.run(args));
  for (const { code, stdout, stderr } of shown) {
    expect([code, stderr]).toEqual([0, '']);
    for (const word of ['serve', 'chat', 'doctor', 'timeline list | show|verify', 'demo'])
      expect(stdout).toContain(word);
    for (const word of ['TIMELOOM_MODEL', 'TIMELOOM_DATA_DIR', 'DATABASE_URL', 'assembly.yaml'])
      expect(stdout).toContain(word);
  }
});

test('a command tells its own help, and the program its version', async () => {
  const helped = await place.run(['timeline', '--help']);
  expect([helped.code, helped.stderr]).toEqual([0, '']);
  expect(helped.stdout).toMatch(
    /^timeloom timeline list \| show\|verify\|render\|reply\|replay\|fork\|cache ID\n/,
  );
  const edits = '--whatif hide:PATH|keep:TURNS|prune|compact|catalogue';
  for (const word of ['replay', '--at SEQ', edits, '--json']) expect(helped.stdout).toContain(word);
  const served = await place.run(['serve', '-h']);
  for (const word of ['--port P', '--ready-json', 'fargate']) expect(served.stdout).toContain(word);
  expect((await place.run(['--version'])).stdout).toMatch(/^timeloom \d+\.\d+\.\d+\n$/);
});

// proves: cli.port
test('serve listens where --port says, before the environment; a worker has none', async () => {
  expect(Number(new URL(server.url).port)).toBeGreaterThan(1);
  for (const text of ['x', '70000', '']) {
    const { code, stderr } = await place.run(['serve', '--port', text]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^CONFIG_INVALID: .*port/is)]);
  }
  expect(await place.run(['worker', '--port', '1'])).toMatchObject({ code: 2 });
});

test('a command that does not exist is called wrongly, also under a name that every object has', async () => {
  for (const name of ['fly', 'toString', '--fly']) {
    const run = name === 'fly' ? place.runApart : place.run;
    const { code, stdout, stderr } = await run([name]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Unknown command “${name}”.`);
    expect(stderr).toContain('doctor');
  }
});

test('an option that does not exist is called wrongly', async () => {
  const wrong = [
    ['serve', '--prot', '1'],
    ['serve', 'now'],
    ['doctor', '--jsn'],
    ['timeline', 'show', 'c', '--x'],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await place.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/Unknown option|Unexpected argument/);
    expect(stderr).toContain('See timeloom --help.');
    expect(stderr).not.toMatch(/^\s+at /m);
  }
});

test('the doctor finds nothing wrong where nothing is', async () => {
  const data = join(place.dir, 'other');
  const { code, stdout, stderr } = await place.run(['doctor'], { TIMELOOM_DATA_DIR: data });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replaceAll(`${place.dir}/`, '').split('\n')).toEqual([
    `✓ node       ${process.version}`,
    '✓ data       other',
    '✓ port       any free port',
    '✓ auth       dev: clients at 127.0.0.1 are trusted without a token; to serve other users, set TIMELOOM_AUTH=jwt',
    '✓ bundles    desk 1',
    '✓ model      scripted:script.yaml',
    '✓ programs   switched off',
    '',
  ]);
});

test('the doctor names everything that is missing, and what to do about it', async () => {
  const file = await place.write({ file: '', 'broken/bundle.ts': 'export const bundle = ;' });
  const { code, stdout } = await place.run(['doctor', '--json'], {
    TIMELOOM_DATA_DIR: join(file, 'data'),
    TIMELOOM_MODEL: '',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect(code).toBe(1);
  const findings = JSON.parse(stdout) as { what: string; ok: boolean; says: string }[];
  const wrong = findings.filter(({ ok }) => !ok).map(({ what, says }) => `${what}: ${says}`);
  expect(wrong).toEqual([
    expect.stringMatching(/^data: .*set TIMELOOM_DATA_DIR/),
    expect.stringMatching(/^database: .*; start it, correct DATABASE_URL, or remove DATABASE_URL/),
    expect.stringMatching(/^redis: .*; start it, correct REDIS_URL, or remove REDIS_URL/),
    expect.stringMatching(/^bundles: .*set TIMELOOM_DATA_DIR/),
    expect.stringMatching(/^model: .*set TIMELOOM_MODEL/),
  ]);
  const broken = await place.run(['doctor'], { TIMELOOM_BUNDLES: join(place.dir, 'broken') });
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/^✗ bundles {4}BUNDLE_INVALID: .*bundle.ts:1:/m);
});

// proves: models.probe
test('the doctor calls a model, prints what it supports, and shows an error in the words of the provider', async () => {
  await using wire = await openModelWire(({ body }) => {
    if (body['model'] === 'gone') return { status: 404, body: '{"error":"model not found"}' };
    if ('tools' in body) return { text: [], calls: [{ name: 'note__word', input: { word: 'a' } }] };
    return { text: ['response_format' in body ? '{"city":"Paris"}' : 'ready'] };
  });
  const env = { OPENAI_BASE_URL: wire.openaiUrl };
  const able = await place.run(['doctor', '--model', 'openai-compatible:qwen'], env);
  expect([able.code, able.stderr]).toEqual([0, '']);
  expect(able.stdout).toMatch(/^✓ tool call {2}note__word \{"word":"a"\}$/m);
  expect(able.stdout).toContain('abilities: { tools: true, forced_choice: true, json: true }');
  const gone = await place.run(['doctor', '--model', 'openai-compatible:gone', '--json'], env);
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.stdout)).toMatchObject({
    model: 'openai-compatible:gone',
    findings: [{ what: 'text', ok: false }],
  });
  expect(gone.stdout).toContain('model not found');
});

test('doctor reports a bad configuration like every command', async () => {
  const { code, stdout, stderr } = await place.run(['doctor'], { TIMELOOM_EXEC_MODE: 'dokcer' });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('TIMELOOM_EXEC_MODE');
});

test('a server without a model serves, and each turn says what to set', async () => {
  const data = join(place.dir, 'without-model');
  const env = { ...place.env, TIMELOOM_DATA_DIR: data, TIMELOOM_MODEL: '' };
  await using own = await startServe(env);
  expect(await (await fetch(`${own.url}/health`)).json()).toMatchObject({
    ok: true,
    model: null,
  });
  await using client = connect({ url: own.url, user: 'ann' });
  const { reason, error } = await (await client.conversation().send('Hello?')).done();
  expect([reason, error?.code]).toEqual(['failed', 'MODEL_NOT_CONFIGURED']);
  expect(error?.message).toContain('set TIMELOOM_MODEL');
});

test('timeline verify finds nothing in a sound log, and names what a broken one has', async () => {
  const sound = await place.run(['timeline', 'verify', conversation]);
  expect([sound.code, sound.stderr]).toEqual([0, '']);
  expect(sound.stdout).toMatch(/^\d+ blocks, no problems found\n$/);
  const data = join(place.dir, 'broken-log');
  const broken = await breakLog(join(data, 'timeline'));
  const { code, stdout } = await place.runApart(['timeline', 'verify', broken, '--json'], {
    TIMELOOM_DATA_DIR: data,
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'data_misfit', seq: 3 }] });
});

// proves: timeline.render-at, timeline.replay
test('timeline render prints the prompt of a round as it was sent, and replay makes it all again', async () => {
  const text = await place.run(['timeline', 'render', conversation]);
  expect([text.code, text.stderr]).toEqual([0, '']);
  expect(text.stdout).toContain('Hello?\n\nANNOUNCE - Round 1/');
  const json = await place.run(['timeline', 'render', conversation, '--at', '3', '--json']);
  const prompt = JSON.parse(json.stdout) as { parts: { text: string; checkpoint?: true }[] };
  expect(prompt).toMatchObject({ seq: 3, round: 1, as_of: 2, same: true });
  expect(prompt.parts.map(({ checkpoint }) => checkpoint)).toEqual([true, undefined]);
  const early = await place.run(['timeline', 'render', conversation, '--at', '2']);
  expect([early.code, early.stderr]).toEqual([1, 'no round was opened at or before block 2\n']);
  const again = await place.run(['timeline', 'replay', conversation]);
  expect([again.code, again.stdout]).toEqual([
    0,
    '1 prompts are identical, 1 replies give the same blocks\n',
  ]);
});

// proves: ledger.printed
test('timeline cache tells why tokens were not read from a cache, and what an edit would cost', async () => {
  const { code, stdout, stderr } = await place.run(['timeline', 'cache', conversation]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^calls: 1, input tokens: [\d,]+, read from a cache: 0\.0 %\n/);
  expect(stdout).toMatch(/ 1 {2}new: new content since the previous call\n/);
  const json = await place.run(['timeline', 'cache', conversation, '--json']);
  const call = JSON.parse(json.stdout) as { missed_tokens: number; misses: { tokens: number }[] };
  expect(call.misses.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(call.missed_tokens);
  expect(Object.keys(call).filter((key) => /[A-Z]/.test(key))).toEqual([]);
  const edit = await place.run(['timeline', 'cache', conversation, '--whatif', 'catalogue']);
  expect(edit.stdout).toMatch(
    /^catalogue: the prompt goes from [\d,]+ to [\d,]+ tokens, .*never pays off\n$/,
  );
  const edited = ['timeline', 'cache', conversation, '--whatif', 'catalogue', '--json'];
  const wire = await place.run(edited);
  expect(Object.keys(JSON.parse(wire.stdout) as object)).toEqual([
    ...['edit', 'tokens_before', 'tokens_after', 'again'],
  ]);
  const lost = await place.run(['timeline', 'cache', conversation, '--whatif', 'hide:ar:none']);
  expect(lost.stdout).toMatch(/^hide:ar:none would change nothing: nothing .* has this path/);
});

test('what a verb of timeline does not take is called wrongly', async () => {
  const wrong = [
    ['cache', conversation, '--whatif', 'wish'],
    ['cache', conversation, '--whatif', 'prune:all'],
    ['cache', conversation, '--at', '3'],
    ['show', conversation, '--at', '3'],
    ['verify', conversation, 'again'],
    ['render', conversation, '--at', ''],
    ['render', conversation, '--at', '0'],
    ['render', conversation, '--at', '1e3'],
    ['fork', conversation, '--whatif', 'prune'],
    ['list', conversation],
    ['list', '--at', '3'],
    ['show', ''],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await place.run(['timeline', ...args]);
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toMatch(/^usage: timeloom timeline show/);
  }
});

// proves: timeline.verify-blobs
test('timeline verify names bytes that are gone or are others', async () => {
  const { stdout } = await place.run(['timeline', 'show', conversation, '--json']);
  const reply = /"type":"model.call".*"hash":"sha256:(\w+)"/.exec(stdout)?.[1] ?? '';
  const blobs = await readdir(join(place.dir, 'data/blobs'), { recursive: true });
  const file = join(
    place.dir,
    'data/blobs',
    blobs.find((name) => reply !== '' && name.replaceAll('/', '').endsWith(reply)) ?? 'none',
  );
  const bytes = await readFile(file);
  await chmod(file, 0o644);
  await writeFile(file, 'other bytes');
  const corrupt = await place.run(['timeline', 'verify', conversation, '--json']);
  await rm(file);
  const missing = await place.run(['timeline', 'verify', conversation, '--json']);
  await writeFile(file, bytes);
  expect([corrupt.code, missing.code]).toEqual([1, 1]);
  expect(JSON.parse(corrupt.stdout)).toMatchObject({ problems: [{ code: 'blob_corrupt' }] });
  expect(JSON.parse(missing.stdout)).toMatchObject({ problems: [{ code: 'blob_missing' }] });
});

test('timeline says what it does not find, and makes nothing', async () => {
  const unknown = await place.run(['timeline', 'show', 'conv_gone']);
  expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  expect(unknown.stderr).toBe('conversation conv_gone not found in dev/dev\n');
  const nowhere = { TIMELOOM_DATA_DIR: join(place.dir, 'nowhere') };
  const empty = await place.run(['timeline', 'verify', 'conv_gone'], nowhere);
  expect([empty.code, empty.stdout]).toEqual([1, '']);
  expect(empty.stderr).toContain('no timeline found in');
  for (const args of [['timeline'], ['timeline', 'show'], ['timeline', 'burn', conversation]]) {
    const { code, stderr } = await place.run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^usage: timeloom timeline show\|verify\|replay ID/);
  }
});

/** A conversation whose turn was closed without saying how: what an owner could write and never should. */
async function breakLog(dir: string): Promise<string> {
  await using store = await openPgliteTimelineStore({ dir });
  const sender = { tenant: 'dev', project: 'dev', user: 'ann' };
  const { key = toConversationKey(0), conversation: id } = await store.accept(request(sender), {
    signal,
  });
  const lease = await store.acquire(key, { worker: 'test', ttlMs: longMs, signal });
  if (!lease) throw new Error('nobody else holds it');
  await store.append(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }), { signal });
  return id;
}
