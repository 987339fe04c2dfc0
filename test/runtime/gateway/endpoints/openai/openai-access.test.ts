import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { issuer, stage, withIssuer } from '../../auth/jwt-stage.ts';

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
