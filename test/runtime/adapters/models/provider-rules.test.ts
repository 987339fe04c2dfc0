import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { expect, test } from 'vitest';
import { faultsInAiSdk } from '../../../tools/provider-rules/ai-sdk-rules.ts';
import { faultsInAnthropic } from '../../../tools/provider-rules/anthropic-rules.ts';
import { faultsInChat } from '../../../tools/provider-rules/chat-rules.ts';
import { faultsInGoogle, type GoogleContents } from '../../../tools/provider-rules/google-rules.ts';
import { faultsInResponses } from '../../../tools/provider-rules/responses-rules.ts';

// proves: prompt.provider-legal

const user = (...content: ContentBlockParam[]): MessageParam => ({ role: 'user', content });
const reply = (...content: ContentBlockParam[]): MessageParam => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words }) as const;
const use = (id: string) => ({ type: 'tool_use', id, name: 'a__b', input: {} }) as const;
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }) as const;
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'sig' } as const;

function anthropic(...messages: MessageParam[]): readonly string[] {
  const tools = [{ name: 'a__b', input_schema: { type: 'object' as const } }];
  return faultsInAnthropic({ model: 'm', max_tokens: 1, messages, tools });
}

test('the rules of the Messages API find what it rejects', () => {
  const hi = user(text('Hi'));
  const called = reply(thinking, text('Adding.'), use('a'));
  expect(anthropic(hi, called, user(result('a'), text('And?')))).toEqual([]);
  expect(anthropic(called, user(result('a')))).toContain('the first message is not of the user');
  expect(anthropic(hi, reply(text('Hello')))).toContain('the last message is not of the user');
  expect(anthropic(hi, hi)).toContain('message 1: user again');
  expect(anthropic(hi, called, hi)).toContain('message 2: no result for a');
  expect(anthropic(hi, called, user(text('And?'), result('a')))).toContain(
    'message 2: a result behind other content',
  );
  expect(anthropic(user(result('z')))).toContain(
    'message 0: a result for z, which is not in the message before',
  );
  expect(anthropic(hi, called, user(result('a')), called, user(result('a')))).toContain(
    'tool use a is there twice',
  );
  expect(anthropic(hi, reply(thinking), hi)).toContain('message 1: thinking alone');
  expect(anthropic(hi, reply(text('So'), thinking), hi)).toContain(
    'message 1: thinking behind other content',
  );
  expect(anthropic(hi, reply({ ...thinking, signature: '' }, text('So')), hi)).toContain(
    'message 1: thinking without a signature',
  );
  const on = (...messages: MessageParam[]) => {
    const thinks = { type: 'enabled', budget_tokens: 1_024 } as const;
    const tools = [{ name: 'a__b', input_schema: { type: 'object' as const } }];
    return faultsInAnthropic({ model: 'm', max_tokens: 2_000, messages, tools, thinking: thinks });
  };
  expect(on(hi, called, user(result('a'), text('And?')))).toEqual([]);
  expect(on(hi, reply(use('a')), user(result('a')))).toEqual([
    'thinking is on, but missing in the reply before the results',
  ]);
  expect(on(hi, reply(use('a')), user(result('a')), reply(text('So')), hi)).toEqual([]);
  const marked = { ...text('Hi'), cache_control: { type: 'ephemeral' } } as const;
  expect(anthropic(user(marked, marked, marked, marked, marked))).toEqual(['5 cache marks']);
  expect(anthropic(user(text(' ')))).toEqual(['message 0: a blank text']);
});

function chat(...messages: ChatCompletionMessageParam[]): readonly string[] {
  return faultsInChat({ model: 'm', messages });
}

test('the rules of Chat Completions find what it rejects', () => {
  const hi = { role: 'user', content: 'Hi' } as const;
  const call = (id: string, args = '{}') =>
    ({ id, type: 'function', function: { name: 'a__b', arguments: args } }) as const;
  const called = { role: 'assistant', content: null, tool_calls: [call('a')] } as const;
  const answered = { role: 'tool', tool_call_id: 'a', content: 'x' } as const;
  expect(chat(hi, { ...called, tool_calls: [call('a')] }, answered)).toEqual([]);
  expect(chat(hi, { ...called, tool_calls: [call('a')] }, hi, answered)).toEqual([
    'message 1: no result for a',
    'message 3: a result without its reply',
  ]);
  expect(chat(hi, { ...called, tool_calls: [call('a', '[]')] }, answered)).toEqual([
    'message 1: arguments []',
  ]);
  expect(chat(hi, { role: 'assistant', content: null }, hi)).toEqual(['message 1: no content']);
});

test('the rules of the Responses API find what it rejects', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'a__b', arguments: '{}' } as const;
  const output = { type: 'function_call_output', call_id: 'a', output: 'x' } as const;
  const sealed = { encrypted_content: 'sealed', summary: [], id: 'rs_1' };
  const reasoning = { type: 'reasoning', ...sealed } as const;
  expect(faultsInResponses([reasoning, call, output])).toEqual([]);
  expect(faultsInResponses([call])).toEqual(['no output for a']);
  expect(faultsInResponses([output, call])).toEqual(['item 0: an output for a before its call']);
  expect(faultsInResponses([reasoning, output, call])).toContain(
    'item 0: reasoning without the item that it led to',
  );
});

test('the rules of the AI SDK find what its packages cannot send', () => {
  const hi = { role: 'user' as const, content: [text('Hi')] };
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'a__b', input: {} } as const;
  const output = { type: 'text', value: 'x' } as const;
  const back = { type: 'tool-result', toolCallId: 'a', toolName: 'a__b', output } as const;
  const called = { role: 'assistant' as const, content: [text('Adding.'), call] };
  const answered = { role: 'tool' as const, content: [back] };
  const faults = (...messages: LanguageModelV4Message[]) => faultsInAiSdk(messages);
  expect(faults(hi, called, answered, hi)).toEqual([]);
  expect(faults(hi, called, hi)).toEqual(['message 1: calls a a__b, but results ']);
  expect(faults(called, answered)).toEqual(['message 0: assistant after nothing']);
  expect(faults(hi, { role: 'assistant', content: [text('Hello')] })).toEqual([
    'the last message is a reply',
  ]);
  expect(faults(hi, hi)).toEqual(['message 1: user after user']);
  expect(faults(hi, { ...called, content: [{ type: 'reasoning', text: 'Hm.' }] }, hi)).toEqual([
    'message 1: reasoning alone',
  ]);
  expect(faults(hi, { ...called, content: [{ ...call, input: '{}' }] }, answered)).toEqual([
    'message 1: an input that is not an object',
  ]);
});

test('the rules of the Gemini API find what it rejects', () => {
  const hi = { role: 'user' as const, parts: [{ text: 'Hi' }] };
  const call = { functionCall: { name: 'a__b', args: {} } };
  const back = { functionResponse: { name: 'a__b', response: { content: 'x' } } };
  const called = { role: 'model' as const, parts: [call, call] };
  const faults = (...contents: GoogleContents) => faultsInGoogle(contents);
  expect(faults(hi, called, { role: 'user', parts: [back, back] }, hi)).toEqual([]);
  expect(faults(hi, called, { role: 'user', parts: [back] })).toEqual([
    'content 1: calls a__b a__b, but results a__b',
  ]);
  expect(faults(hi, { role: 'user', parts: [back] })).toContain(
    'content 0: calls , but results a__b',
  );
  expect(faults(hi, called, called, hi)).toContain('content 2: model again');
});
