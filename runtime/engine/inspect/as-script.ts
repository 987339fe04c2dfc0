import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { parsePieceLog } from '../../channels/readers/parse-piece-log.ts';
import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import { emptyView, foldArchive } from '../../timeline/fold/fold.ts';
import type { TurnView } from '../../timeline/view.ts';
import { type OpenLog, textOf } from './open-log.ts';

/** A conversation as a test: what the model wrote becomes a script, and what came of it the expectations. */
export type ConversationScript = {
  /** The replies of a scripted model, in order. */
  readonly replies: readonly JsonObject[];
  /** A file for vitest, beside the bundle. */
  readonly test: string;
  /** What the test cannot repeat: events in the middle of a turn, files, replies that were not recorded. */
  readonly gaps: readonly string[];
};

/** Turns a conversation into a scripted model and a test that replays it. */
export async function toScript(log: OpenLog): Promise<ConversationScript> {
  const calls = log.blocks.filter(isReply);
  const replies: JsonObject[] = [];
  for (const call of calls) replies.push(await replyOf(log, call));
  const { turns } = foldArchive(emptyView, log.blocks);
  const steps = turns.flatMap(stepsOf);
  return { replies, test: testFile({ replies, steps }), gaps: gapsOf(log.blocks, turns) };
}

/** Calls of tools have models of their own; a script answers the engine. */
function isReply({ type, call, data }: Block): boolean {
  return type === 'model.call' && call === undefined && isJsonObject(data) && 'role' in data;
}

async function replyOf(log: OpenLog, call: Block): Promise<JsonObject> {
  const data = isJsonObject(call.data) ? call.data : {};
  const { role, finish } = data;
  const place = {
    ...(typeof role === 'string' && role !== 'decision' ? { role } : {}),
    ...(finish === 'length' || finish === 'refusal' ? { finish } : {}),
  };
  if (!call.blob) return { ...place, raw: '' };
  const text = await textOf(log, call.blob.hash);
  if (data['pieces'] !== true) return { ...place, raw: text };
  return { ...place, pieces: parsePieceLog(text).map((piece): Json => ({ ...piece })) };
}

type Step = {
  readonly prompt: string;
  readonly decisions: readonly JsonObject[];
  readonly answer: string;
  readonly results: readonly string[];
};

function stepsOf(turn: TurnView): readonly Step[] {
  const [prompt] = turn.events;
  if (prompt?.type !== 'user.prompt') return [];
  const decisions = turn.blocks.flatMap((block) => {
    const said =
      block.type === 'approval.decision' ? dataOf('approval.decision', block) : undefined;
    return said ? [{ allow: said.allow }] : [];
  });
  const results = turn.blocks.flatMap((block) => {
    const result = block.type === 'react.tool.result' ? dataOf('react.tool.result', block) : null;
    return result
      ? [`react.tool.result ${result.ok ? 'ok' : (result.error?.code ?? 'failed')}`]
      : [];
  });
  const answer = turn.completions.at(-1)?.text ?? '';
  return [{ prompt: prompt.text ?? '', decisions, answer, results }];
}

function gapsOf(blocks: readonly Block[], turns: readonly TurnView[]): readonly string[] {
  const later = turns.flatMap(({ events }) => events.slice(1));
  const files = blocks.filter(({ type }) => type === 'user.attachment').length;
  const lost = blocks.filter((block) => isReply(block) && !block.blob).length;
  return [
    ...later
      .filter(({ type }) => type !== 'user.attachment')
      .map(({ seq, type }) => `block ${seq} (${type}) arrived in the middle of a turn`),
    ...(files > 0 ? [`${files} attachments are not sent`] : []),
    ...(lost > 0 ? [`${lost} replies were not recorded and are empty`] : []),
  ];
}

type Contents = { readonly replies: readonly JsonObject[]; readonly steps: readonly Step[] };

const imports = [
  ['openRuntime, outline', 'timeloom/testing'],
  ['expect, test', 'vitest'],
  ['bundle', './bundle.ts'],
]
  .map(([names, place]) => `import { ${names} } from '${place}';`)
  .join('\n');

function testFile({ replies, steps }: Contents): string {
  return `${imports}

/** What the model wrote, in order. */
const model = ${JSON.stringify(replies, null, 2)} as const;

test('the conversation goes as recorded', async () => {
  await using runtime = await openRuntime({ bundle, model });
  const conversation = runtime.connect().conversation();
${steps.map(toStep).join('\n')}});
`;
}

function toStep({ prompt, decisions, answer, results }: Step, index: number): string {
  const turn = `turn${index + 1}`;
  return [
    `  const ${turn} = await conversation.send(${JSON.stringify(prompt)});`,
    ...decisions.flatMap((decision) => [
      '  for await (const event of conversation.events()) {',
      "    if (event.type !== 'chat.approval') continue;",
      `    await conversation.decide(event.data.request, ${JSON.stringify(decision)});`,
      '    break;',
      '  }',
    ]),
    `  expect((await ${turn}.done()).text).toBe(${JSON.stringify(answer)});`,
    `  expect(outline(await ${turn}.blocks(), 'react.tool.result')).toEqual(${JSON.stringify(results)});`,
    '',
  ].join('\n');
}
