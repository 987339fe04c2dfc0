import { afterEach, beforeEach, expect, test } from 'vitest';
import { keysCooldownMs, skewMsMax } from '../../../runtime/adapters/issuer/limits.ts';
import { defaultClaims } from '../../../runtime/adapters/issuer/settings.ts';
import { openTokens, type Tokens } from '../../../runtime/adapters/issuer/tokens.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { connect } from '../../../runtime/client/connect.ts';
import { Refusal } from '../../../runtime/client/index.ts';
import { manualClock } from '../../../runtime/testing/clock.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import { type Issuer, openIssuer } from '../../tools/services/issuer.ts';
import { openStage, Player, type Stage } from '../gateway/stage.ts';

let clock: ReturnType<typeof manualClock>;
let issuer: Issuer;
let tokens: Tokens;
let stage: Stage;

beforeEach(async () => {
  clock = manualClock(new Date().toISOString());
  issuer = await openIssuer(() => clock.now());
  const keys = { from: 'issuer' } as const;
  tokens = openTokens(
    { issuer: issuer.url, audience: ['timeloom'], keys, claims: defaultClaims },
    { clock, log: silentLog },
  );
  stage = await openStage({ auth: { mode: 'jwt', tokens, origins: [] }, clock });
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  tokens[Symbol.dispose]();
  await issuer[Symbol.asyncDispose]();
});

const open = (token: () => string | Promise<string>) => connect({ url: stage.gateway.url, token });

test('a client requests another token when its token expires, and loses nothing', async () => {
  let asked = 0;
  await using client = open(() => {
    asked += 1;
    return issuer.token();
  });
  const turn = await client.conversation().send('Why?');
  const answered = turn.done();
  const [row] = await stage.deps.store.list(
    { tenant: 'dev', project: 'dev', user: 'ann' },
    { limit: 1, signal: new AbortController().signal },
  );
  const player = await Player.take(stage.deps, row?.id ?? '');
  const before = asked;
  await clock.advance(3_600_000 + skewMsMax);
  await player.append({
    type: 'assistant.completion',
    author: 'agent',
    path: toBlockPath(`ar:${player.turn}.assistant.completion.1`),
    text: 'Because.',
    data: { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false, followups: [] },
  });
  await player.close('Because.');
  expect(await answered).toMatchObject({ reason: 'completed', text: 'Because.' });
  expect(asked).toBe(before + 1);
  expect((await turn.followup('And?')).status).toBe('started');
});

test('a stale token is replaced, and a failing token function is retried', async () => {
  const stale = await issuer.token({}, { forSeconds: -skewMsMax / 1000 - 1 });
  const answers: (() => string | Promise<string>)[] = [
    () => Promise.reject(new Error('the login is down')),
    () => stale,
    () => issuer.token(),
  ];
  await using client = open(() => answers.shift()?.() ?? issuer.token());
  expect((await client.conversation().send('Why?')).status).toBe('started');
  expect(answers).toEqual([]);
});

test("repeatedly refused tokens close the client with the server's error", async () => {
  let asked = 0;
  await using client = open(() => {
    asked += 1;
    return issuer.token({ aud: 'billing' });
  });
  await expect(client.conversation().send('Why?')).rejects.toMatchObject({
    code: 'unauthenticated',
    message: 'the token is not for the audience timeloom',
  });
  expect(asked).toBe(4);
});

test('a token function that throws a Refusal is not called again', async () => {
  let asked = 0;
  await using client = open(() => {
    asked += 1;
    throw new Refusal('signed_out', 'sign in');
  });
  await expect(client.conversation().send('Why?')).rejects.toMatchObject({ code: 'signed_out' });
  expect(asked).toBe(1);
});

test('without a token there is only one attempt', async () => {
  await using client = connect({ url: stage.gateway.url });
  await expect(client.conversation().send('Why?')).rejects.toMatchObject({
    code: 'unauthenticated',
  });
});

test('a client waits while the issuer is unreachable', async () => {
  issuer.fail(true);
  const token = await issuer.token();
  let asked = 0;
  await using client = open(() => {
    asked += 1;
    if (asked === 2) {
      issuer.fail(false);
      return clock.advance(keysCooldownMs).then(() => token);
    }
    return token;
  });
  expect((await client.conversation().send('Why?')).status).toBe('started');
  expect(asked).toBe(2);
});
