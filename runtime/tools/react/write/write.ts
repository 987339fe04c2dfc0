import { z } from 'zod';
import { isJsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import { createTool } from '../../definition/create-tool.ts';
import { noteCharsMax } from '../../limits.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { callNotice } from '../../results/call-notice.ts';
import { artifactPath } from './artifact-path.ts';
import { notesPerWriteMax, writeCharsMax } from './limits.ts';
import { parseNotes, writeNotes } from './tagged-notes.ts';
import { writeText } from './write-text.ts';

export const channelSchema = z
  .enum(['canvas', 'internal', 'timeline_text'])
  .default('canvas')
  .describe(
    'canvas: the user gets the file · internal: only you · timeline_text: a message, no file',
  );
export const kindSchema = z
  .enum(['display', 'file'])
  .default('display')
  .describe('with canvas: display = delivered and shown as a page · file = delivered only');

export const writeTool = createTool({
  id: 'react.write',
  kind: 'control',
  traits: ['neutral'],
  effects: 'keyed',
  concurrency: 'alone',
  description:
    'Writes a text file of this turn, shown while you write: keep the order of the parameters. ' +
    'path: outputs/<name> for what you produce, files/<name> for working files. Any kind of text (md html svg mermaid json csv txt js py …); the extension decides how it is shown. ' +
    'With channel internal and scratchpad true the content is notes to yourself, one a line: [P] preference, [D] decision, [S] spec, [A] achievement or [K] key artifact.',
  input: z
    .object({
      path: z.string().optional().describe('not with scratchpad'),
      channel: channelSchema,
      content: z.string().max(writeCharsMax),
      kind: kindSchema,
      scratchpad: z.boolean().default(false).describe('only with channel internal'),
    })
    .refine(({ scratchpad, channel }) => !scratchpad || channel === 'internal', {
      path: ['scratchpad'],
      message: 'only with channel internal',
    })
    .refine(({ scratchpad, path }) => scratchpad || path !== undefined, {
      path: ['path'],
      message: 'is required, except with scratchpad',
    }),
  run: async ({ path = '', channel, content, kind, scratchpad }, context) => {
    if (scratchpad) return toNotes(content, context);
    const codes = {
      foreign: 'invalid_write_logical_path',
      namespace: 'invalid_write_logical_path',
    };
    const at = artifactPath(path, context, codes);
    const old = await context.services.read(paths.file(context.turn, at.filepath));
    const outcome = await writeText({ at, channel, content, kind }, context);
    const { preview = '', blocks = [] } = outcome;
    const isSame = old?.blob !== undefined && old.blob.hash === hashOf(outcome);
    return {
      ...outcome,
      preview: isSame ? `${preview} · unchanged: the file already held exactly this` : preview,
      blocks: [...blocks, ...orderNotice(context)],
    };
  },
});

function hashOf({ result }: ToolOutcome): string | undefined {
  return result.ok && isJsonObject(result.ret) ? `sha256:${result.ret['sha256']}` : undefined;
}

/** Refusals `note_empty`, `note_too_long`: notes are never cut. */
function toNotes(content: string, { services }: CallContext): ToolOutcome {
  const notes = parseNotes(content);
  if (notes.length === 0) throw new Refusal('note_empty', 'The note is empty.');
  if (notes.length > notesPerWriteMax || notes.some(({ text }) => text.length > noteCharsMax)) {
    const message = `At most ${notesPerWriteMax} notes at a time, each of at most ${noteCharsMax} characters; longer texts are files.`;
    throw new Refusal('note_too_long', message);
  }
  writeNotes(notes, services);
  const tags = notes.map(({ tag }) => tag ?? null);
  const preview = notes.length === 1 ? 'Noted.' : `${notes.length} notes.`;
  return { result: { ok: true, ret: { noted: true, notes: notes.length, tags } }, preview };
}

const order = ['path', 'channel', 'content', 'kind'];
const codes = ['path_not_first', 'channel_not_second', 'content_not_third', 'kind_not_fourth'];

/** Content written before its path could not be streamed; the notice helps the model do better next time. */
function orderNotice({ view, call, ...place }: CallContext): readonly Draft[] {
  const asked = view.openTurn?.rounds.at(-1)?.calls.find((each) => each.call === call)?.request;
  const input = isJsonObject(asked?.data) ? asked.data['input'] : undefined;
  const keys = isJsonObject(input) ? Object.keys(input).filter((key) => order.includes(key)) : [];
  const wanted = order.filter((key) => keys.includes(key));
  const wrong = wanted.findIndex((key, index) => keys[index] !== key);
  const late = keys.indexOf('content') < Math.max(keys.indexOf('path'), keys.indexOf('channel'));
  const code = codes[order.indexOf(wanted[wrong] ?? '')];
  if (wrong < 0 || !late || code === undefined) return [];
  const text = `The parameters came as ${keys.join(', ')}. In the order ${order.join(', ')} the content is shown while you write it.`;
  return [callNotice({ ...place, call }, code, text)];
}
