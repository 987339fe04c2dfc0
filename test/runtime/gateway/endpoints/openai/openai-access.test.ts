import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { issuer, stage, withIssuer } from '../../auth/jwt-stage.ts';
import { openStage } from '../../stage.ts';

withIssuer();

function client(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${stage.gateway.url}/v1`, apiKey, maxRetries: 0 });
}

// proves: openai.access
test('with tokens the API key is the token', async () => {
  const token = await issuer.token({ sub: 'ann' });
  expect((await client(token).models.list()).data.map(({ id }) => id)).toEqual(['desk/main']);
  await expect(client('sk-none').models.list()).rejects.toMatchObject({
    ...{ status: 401, code: 'invalid_api_key', type: 'authentication_error' },
  });
});

// proves: openai.errors
test('a user who sends too much learns when to try again', async () => {
  await using limited = await openStage({ limits: { user: { perMinute: 1 } } });
  const openai = new OpenAI({ baseURL: `${limited.gateway.url}/v1`, apiKey: 'x', maxRetries: 0 });
  const request = { model: 'desk/main', input: 'Hi', background: true } as const;
  expect((await openai.responses.create(request)).status).toBe('in_progress');
  const refused: unknown = await openai.responses.create(request).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  if (!(refused instanceof OpenAI.APIError)) throw new Error('no error of the API');
  expect(Number(refused.headers?.get('retry-after'))).toBeGreaterThan(0);
});
