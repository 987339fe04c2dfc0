import { expect, test } from 'vitest';
import { z } from 'zod';
import { openOpenAiStage } from './openai-stage.ts';

const hello = { model: 'bar/main', messages: [{ role: 'user' as const, content: 'Hello' }] };
const place = { country: 'de', city: 'Berlin' };
const asked = {
  search_context_size: 'high' as const,
  filters: { allowed_domains: ['Example.org'] },
};
const option = {
  size: 'large',
  location: { country: 'DE', city: 'Berlin' },
  domains: ['example.org'],
};

type Stage = Awaited<ReturnType<typeof openOpenAiStage>>;

/** `options.web_search` of the turn that the request opened. */
async function searchOf(stage: Stage, { response }: { readonly response: Response }) {
  const id = response.headers.get('x-timeloom-conversation') ?? '';
  const blocks = await stage.runtime.connect({ user: 'ann' }).conversation(id).blocks();
  const opened = blocks.find(({ type }) => type === 'turn.open');
  return z.object({ options: z.object({ web_search: z.unknown() }) }).parse(opened?.data).options
    .web_search;
}

// proves: openai.web-search
test('web_search_options and the tool of Responses are the same option of the turn, and without them it is off', async () => {
  await using stage = await openOpenAiStage(
    ['One.', 'Two.', 'Three.'].map((answer) => ({ answer })),
  );
  const approximate = { type: 'approximate' as const, approximate: place };
  const chat = stage.openai.chat.completions
    .create({ ...hello, web_search_options: { ...asked, user_location: approximate } })
    .withResponse();
  expect(await searchOf(stage, await chat)).toEqual(option);
  const tool = {
    ...{ ...asked, type: 'web_search' as const },
    user_location: { ...place, type: 'approximate' as const },
  };
  const response = stage.openai.responses
    .create({ model: 'bar/main', input: 'Hello', tools: [tool] })
    .withResponse();
  expect(await searchOf(stage, await response)).toEqual(option);
  expect(
    await searchOf(stage, await stage.openai.chat.completions.create(hello).withResponse()),
  ).toBe(false);
});

// proves: openai.web-search
test('an agent that cannot search refuses the request and names its field', async () => {
  await using stage = await openOpenAiStage([]);
  const refused = { status: 400, code: 'invalid_value', type: 'invalid_request_error' };
  const chat = { ...hello, model: 'bar/other', web_search_options: {} };
  const answer = stage.openai.chat.completions.create(chat);
  await expect(answer).rejects.toMatchObject({ ...refused, param: 'web_search_options' });
  await expect(answer).rejects.toThrow('does not search the web');
  const tools = [{ type: 'web_search' as const }];
  const response = { model: 'bar/other', input: 'Hello', tools };
  await expect(stage.openai.responses.create(response)).rejects.toMatchObject({
    ...{ ...refused, param: 'tools[0].type' },
  });
  const domains = { filters: { allowed_domains: ['https://example.org'] } };
  const badDomain = { ...hello, web_search_options: { ...asked, ...domains } };
  await expect(stage.openai.chat.completions.create(badDomain)).rejects.toMatchObject({
    ...{ ...refused, param: 'web_search_options.filters.allowed_domains[0]' },
  });
  expect(stage.runtime.model.requests).toEqual([]);
});
