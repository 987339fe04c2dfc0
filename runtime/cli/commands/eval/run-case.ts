import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Refusal } from '../../../base/refusal.ts';
import type { Client } from '../../../client/api/client.ts';
import type { Attachment, Conversation, TurnResult } from '../../../client/api/types.ts';
import { mimeOf } from '../../../tools/files/mime.ts';
import type { EvalCase } from '../../evals/eval-case.ts';
import type { Outcome } from './check-outcome.ts';

type Place = { readonly client: Client; readonly folder: string };

/** Plays a case in a conversation of its own. */
export async function runCase(
  { agent, input, attachments }: EvalCase,
  { client, folder }: Place,
): Promise<Outcome> {
  const [bundle, name] = agent?.split('/') ?? [];
  const conversation = client.conversation(undefined, { bundle, agent: name });
  const files = await Promise.all(attachments.map((path) => attachmentOf(join(folder, path))));
  const seen = { calls: [] as string[], rounds: 0 };
  const began = Date.now();
  const results: TurnResult[] = [];
  for (const [index, text] of input.entries()) {
    results.push(await runTurn(conversation, { text, files: index === 0 ? files : [], seen }));
    if (results.at(-1)?.reason === 'failed') break;
  }
  const last = results.at(-1);
  return {
    conversation: conversation.id,
    reason: last?.reason ?? 'failed',
    answer: last?.text ?? '',
    error: last?.error?.message,
    calls: seen.calls,
    rounds: seen.rounds,
    files: results.flatMap((result) => result.files.map(({ filename }) => basename(filename))),
    seconds: (Date.now() - began) / 1_000,
    tokens: results.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
    costUsd: results.reduce((sum, { usage }) => sum + usage.costUsd, 0),
  };
}

type Message = {
  readonly text: string;
  readonly files: readonly Attachment[];
  readonly seen: { readonly calls: string[]; rounds: number };
};

async function runTurn(
  conversation: Conversation,
  { text, files, seen }: Message,
): Promise<TurnResult> {
  const turn = await conversation.send(text, files.length > 0 ? { attachments: files } : {});
  const known = new Set<string>();
  for await (const event of turn.events()) {
    if (event.type === 'chat.step' && event.event.step === 'round.open') seen.rounds += 1;
    if (event.type !== 'chat.tool' || known.has(event.data.call)) continue;
    known.add(event.data.call);
    seen.calls.push(event.data.tool);
  }
  return await turn.done();
}

async function attachmentOf(path: string): Promise<Attachment> {
  const data = await readFile(path).catch((error: Error) => {
    throw new Refusal('invalid_input', `${path} cannot be read: ${error.message}`);
  });
  return { name: basename(path), mime: mimeOf(path), data: new Uint8Array(data) };
}
