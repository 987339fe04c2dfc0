import { expect, test } from 'vitest';
import { createOpenaiModel } from '../../../../../runtime/adapters/models/providers/openai/openai.ts';
import { probeModel } from '../../../../../runtime/cli/commands/doctor/probe-model.ts';
import {
  openModelWire,
  type WireReply,
  type WireRequest,
} from '../../../../tools/services/model-wire.ts';

const { signal } = new AbortController();
const call = { text: [], calls: [{ name: 'note__word', input: { word: 'ready' } }] };

/** What a probe finds out about a server that answers like this. */
async function probed(answer: (body: WireRequest['body']) => WireReply) {
  await using wire = await openModelWire(({ body }) => answer(body));
  const model = createOpenaiModel({
    ...{ model: 'qwen3-8b', flavour: 'openai-compatible' },
    ...{ baseUrl: wire.openaiUrl, retriesMax: 0 },
  });
  const { findings, abilities } = await probeModel(model, { signal });
  return { findings, abilities, requests: wire.requests.length };
}

// proves: models.probe
test('a model that can do everything is asked for one text, one tool call and one JSON reply', async () => {
  const { findings, abilities, requests } = await probed((body) => {
    if ('tools' in body) return call;
    return { text: ['response_format' in body ? '{"city":"Paris"}' : 'ready'] };
  });
  expect(requests).toBe(3);
  expect(abilities).toEqual({ tools: true, forcedChoice: true, json: true });
  expect(findings.map(({ what, ok }) => [what, ok])).toEqual([
    ['text', true],
    ['tool call', true],
    ['choice', true],
    ['JSON', true],
  ]);
  expect(findings[0]?.says).toMatch(/^“ready” from gpt-wire in \d+ ms, 1 \+ 1 tokens$/);
});

// proves: models.probe
test('a server that ignores the choice of a tool and the format is found out', async () => {
  const { findings, abilities, requests } = await probed((body) => {
    const asksForTool = JSON.stringify(body['messages']).includes('with the tool');
    return asksForTool ? call : { text: ['It is Paris.'] };
  });
  expect(requests).toBe(4);
  expect(abilities).toEqual({ tools: true, forcedChoice: false, json: false });
  expect(findings[2]?.says).toContain('no call; the reply is “It is Paris.”');
});

// proves: models.probe
test("an error is shown in the server's words, and ends the probe if there is no text", async () => {
  const { findings, abilities } = await probed(() => ({
    status: 401,
    body: '{"error":"invalid key"}',
  }));
  expect(findings).toEqual([
    { what: 'text', ok: false, says: expect.stringContaining('invalid key') as unknown },
  ]);
  expect(abilities).toEqual({ tools: false, forcedChoice: false, json: false });
});
