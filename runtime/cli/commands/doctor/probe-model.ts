import { isJsonObject, parseJson } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type {
  Model,
  ModelAbilities,
  ModelEvent,
  ModelRequest,
} from '../../../engine/ports/model.ts';
import { type Finding, runCheck } from './doctor-finding.ts';
import { probeOutputTokens, probeQuoteChars } from './limits.ts';

export type Probed = {
  readonly findings: readonly Finding[];
  readonly abilities: ModelAbilities;
};

/**
 * Asks a model for one text, one tool call and one JSON reply. The tool is forced while the question is about something
 * else, so that a call shows a choice that was kept; a model that answers instead is asked once more to call the tool.
 */
export async function probeModel(
  model: Model,
  { signal }: { readonly signal: AbortSignal },
): Promise<Probed> {
  const ask = (request: Partial<ModelRequest>) => replyOf(model, request, signal);
  const text = await runCheck('text', async () =>
    textOf(await ask(question('Say the word ready.'))),
  );
  if (!text.ok) return { findings: [text], abilities: none };
  const forced = await runCheck('choice', async () =>
    callIn(await ask({ ...question(capital), offer: { ...offer, choice: { tool: tool.name } } })),
  );
  const called = forced.ok
    ? { ...forced, what: 'tool call' }
    : await runCheck('tool call', async () =>
        callIn(await ask({ ...question(callTool), offer: { ...offer, choice: 'auto' } })),
      );
  const json = await runCheck('JSON', async () =>
    jsonIn(await ask({ ...question(capitalTwice), format: 'json' })),
  );
  const abilities = { tools: called.ok, forcedChoice: forced.ok, json: json.ok };
  return { findings: [text, called, forced, json], abilities };
}

const none: ModelAbilities = { tools: false, forcedChoice: false, json: false };
const capital = 'What is the capital of France?';
const callTool = 'Write down the word ready with the tool note__word.';
const capitalTwice =
  'Name the capital of France, first in a sentence, then as JSON with the key "city".';

const tool = {
  name: 'note__word',
  description: 'Writes down a word.',
  schema: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
};
const offer = { tools: [tool] };

function question(text: string): Partial<ModelRequest> {
  return { parts: [{ kind: 'text', text }] };
}

type ProbeReply = {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  readonly done: Extract<ModelEvent, { kind: 'done' }> | undefined;
  readonly ms: number;
};

async function replyOf(
  model: Model,
  request: Partial<ModelRequest>,
  signal: AbortSignal,
): Promise<ProbeReply> {
  const startedMs = performance.now();
  const whole: ModelRequest = {
    ...{ role: 'decision', system: 'You answer in a few words.', parts: [] },
    ...{ maxOutputTokens: probeOutputTokens, temperature: 0 },
    ...request,
  };
  let text = '';
  let done: ProbeReply['done'];
  const calls: { name: string; input: string }[] = [];
  for await (const event of model.stream(whole, { signal })) {
    if (event.kind === 'text') text += event.text;
    if (event.kind === 'call') calls.push({ name: event.name, input: '' });
    const call = calls.at(-1);
    if (event.kind === 'arguments' && call) call.input += event.text;
    if (event.kind === 'done') done = event;
  }
  return { text: text.trim(), calls, done, ms: Math.round(performance.now() - startedMs) };
}

function textOf({ text, done, ms }: ProbeReply): string {
  if (text === '') throw unmet(`the reply has no text (finish: ${done?.finish ?? 'none'})`);
  const { inputTokens = 0, outputTokens = 0 } = done?.usage ?? {};
  const usage =
    inputTokens + outputTokens > 0
      ? `${inputTokens} + ${outputTokens} tokens`
      : 'usage not reported';
  return `${quoted(text)} from ${done?.model ?? 'the model'} in ${ms} ms, ${usage}`;
}

function callIn({ calls, text }: ProbeReply): string {
  const [call] = calls;
  if (!call) throw unmet(`no call; the reply is ${quoted(text)}`);
  const input = parseJson(call.input === '' ? '{}' : call.input);
  if (call.name !== tool.name || !isJsonObject(input) || typeof input['word'] !== 'string')
    throw unmet(`not a valid call: ${call.name} ${quoted(call.input)}`);
  return `${call.name} ${JSON.stringify(input)}`;
}

function jsonIn({ text }: ProbeReply): string {
  if (!isJsonObject(parseJson(text)))
    throw unmet(`the reply is not a JSON object: ${quoted(text)}`);
  return quoted(text);
}

function quoted(text: string): string {
  const cut = text.length > probeQuoteChars ? `${text.slice(0, probeQuoteChars)}…` : text;
  return `“${cut.replaceAll(/\s+/g, ' ')}”`;
}

function unmet(message: string): Refusal {
  return new Refusal('not_supported', message);
}
