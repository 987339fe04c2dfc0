import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Refusal } from '../../../base/refusal.ts';
import type { Client } from '../../../client/api/client.ts';
import type { Attachment, ChatEvent, Conversation, TurnResult } from '../../../client/api/types.ts';
import type { FileRef } from '../../../client/api/values.ts';
import type { Screen } from '../../terminal/screen.ts';

const question =
  'Here is the weather of Seattle, day by day. How did the four years differ, and which months are the wettest? I would like a report to keep.';
const followup = 'And are the summers getting warmer?';
const secondQuestion = 'Which month was the wettest again, and what did you base that on?';
const outputDir = '.timeloom/demo';

export type DemoConversation = {
  readonly client: Client;
  readonly screen: Screen;
  readonly weather: Uint8Array<ArrayBuffer>;
  /** The model is scripted. A script ignores errors, so a failed call must end the demo. */
  readonly scripted: boolean;
};

/** Runs two turns of one conversation. Throws Refusal `demo_failed` if a turn does not complete. */
export async function runConversation(talk: DemoConversation): Promise<void> {
  const { client, screen, weather } = talk;
  const conversation = client.conversation();
  const name = 'seattle-weather.csv';
  const attachments = [{ name, mime: 'text/csv', data: weather }];
  screen.heading('Turn one');
  screen.line('you', question, 'green');
  screen.line('file', `${name}, ${size(weather.byteLength)}`);
  const first = await runTurn(talk, { conversation, text: question, attachments, followup });
  await saveFiles(talk, first.files);
  screen.heading('Turn two, same conversation');
  screen.line('you', secondQuestion, 'green');
  await runTurn(talk, { conversation, text: secondQuestion });
}

type DemoMessage = {
  readonly conversation: Conversation;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** Sent during the turn, when the first tool runs. */
  readonly followup?: string;
};

/** Runs one turn to its end and shows its events. */
async function runTurn(
  { screen, scripted }: DemoConversation,
  saying: DemoMessage,
): Promise<TurnResult> {
  const { conversation, text, attachments = [] } = saying;
  const turn = await conversation.send(text, { attachments });
  let late = saying.followup;
  for await (const event of turn.events()) {
    screen.show(event);
    if (event.type !== 'chat.tool') continue;
    if (scripted) refuseFailure(event);
    if (late === undefined) continue;
    screen.line('you', `${late}  (during the turn)`, 'green');
    await turn.followup(late);
    late = undefined;
  }
  const result = await turn.done();
  if (result.reason === 'completed') return result;
  const because = result.error?.message ?? result.reason;
  throw new Refusal('demo_failed', `the turn did not complete: ${because}`);
}

function refuseFailure({ event, data }: Extract<ChatEvent, { type: 'chat.tool' }>): void {
  if (event.status !== 'error') return;
  throw new Refusal('demo_failed', `the tool ${data.tool} failed, and the demo requires it`);
}

async function saveFiles(
  { client, screen }: DemoConversation,
  files: readonly FileRef[],
): Promise<void> {
  const folder = resolve(outputDir);
  await mkdir(folder, { recursive: true });
  for (const { path, filename, size: bytes } of files) {
    const response = await client.fetch(path);
    const target = join(folder, basename(filename));
    await writeFile(target, new Uint8Array(await response.arrayBuffer()));
    screen.line('file', `${filename}, ${size(bytes)}: ${target}`);
  }
}

function size(bytes: number): string {
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000).toLocaleString('en')} kB`;
}
