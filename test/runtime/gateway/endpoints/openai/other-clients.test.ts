import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openOpenAiStage } from './openai-stage.ts';

const city = z.object({ city: z.string() });
const askWeather = { call: { tool: 'client.get_weather', input: { city: 'Oslo' } } };

type Stage = Awaited<ReturnType<typeof openOpenAiStage>>;

function chatOpenAi({ runtime }: Stage) {
  return new ChatOpenAI({
    model: 'bar/main',
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL: `${runtime.url}/v1` },
  });
}

// proves: openai.langchain
test('ChatOpenAI of LangChain streams an answer and runs its tools', async () => {
  await using stage = await openOpenAiStage([
    { answer: 'Good day.' },
    askWeather,
    { answer: 'Rain.' },
  ]);
  const model = chatOpenAi(stage);
  let text = '';
  for await (const chunk of await model.stream('Hello')) text += chunk.text;
  expect(text).toBe('Good day.');
  const weather = langchainTool(async () => 'rain', {
    ...{ name: 'get_weather', description: 'The weather.', schema: city },
  });
  const bound = model.bindTools([weather]);
  const asked = await bound.invoke([new HumanMessage('Weather?')]);
  const [call] = asked.tool_calls ?? [];
  expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Oslo' } });
  const result = new ToolMessage({ content: 'rain', tool_call_id: call?.id ?? '' });
  const answered = await bound.invoke([new HumanMessage('Weather?'), asked, result]);
  expect(answered.text).toBe('Rain.');
});

// proves: openai.json
test('ChatOpenAI gets a structured output', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Oslo.', output: { city: 'Oslo' } }]);
  const model = chatOpenAi(stage).withStructuredOutput(city, { method: 'jsonSchema' });
  expect(await model.invoke('Where?')).toEqual({ city: 'Oslo' });
});

// proves: openai.ai-sdk
test.each(['chat', 'responses'] as const)(
  'the AI SDK streams steps with its own tools (%s)',
  async (api) => {
    await using stage = await openOpenAiStage([
      { thinking: 'Hm.', ...askWeather },
      { answer: 'It rains in Oslo.' },
    ]);
    const openai = createOpenAI({ baseURL: `${stage.runtime.url}/v1`, apiKey: 'any' });
    const result = streamText({
      model: openai[api]('bar/main'),
      prompt: 'Weather?',
      maxRetries: 0,
      tools: {
        get_weather: tool({
          description: 'The weather.',
          inputSchema: city,
          execute: () => 'rain',
        }),
      },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe('It rains in Oslo.');
    const steps = await result.steps;
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.toolResults[0]).toMatchObject({ input: { city: 'Oslo' }, output: 'rain' });
    expect(stage.runtime.model.requests.at(-1)?.text).toContain('rain');
  },
);

// proves: openai.json
test.each(['chat', 'responses'] as const)('the AI SDK gets an object (%s)', async (api) => {
  await using stage = await openOpenAiStage([{ answer: 'Oslo.', output: { city: 'Oslo' } }]);
  const openai = createOpenAI({ baseURL: `${stage.runtime.url}/v1`, apiKey: 'any' });
  const { output } = await generateText({
    model: openai[api]('bar/main'),
    prompt: 'Where?',
    maxRetries: 0,
    output: Output.object({ schema: city }),
  });
  expect(output).toEqual({ city: 'Oslo' });
});

// proves: openai.json
test('a schema that cannot be checked is refused before anything is accepted', async () => {
  await using stage = await openOpenAiStage([]);
  const schema = { $ref: '#/$defs/missing' };
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'x', schema } };
  const messages = [{ role: 'user' as const, content: 'x' }];
  await expect(
    stage.openai.chat.completions.create({ model: 'bar/main', messages, response_format }),
  ).rejects.toMatchObject({ status: 400, param: 'options.output' });
});
