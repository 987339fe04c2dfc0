import { z } from 'zod';
import { paths } from '../../timeline/paths.ts';
import { createTool } from '../create-tool.ts';
import { grouped } from '../cut.ts';
import { fileName, toTurnFile } from '../file-path.ts';
import { mimeOf } from '../mime.ts';
import type { FileRef } from '../services.ts';
import type { CallContext, ToolOutcome } from '../tool.ts';
import { writeCharsMax } from './limits.ts';

export const channelSchema = z
  .enum(['canvas', 'internal', 'timeline_text'])
  .default('canvas')
  .describe(
    'canvas: people see it · internal: only you · timeline_text: a message in the conversation',
  );
export const kindSchema = z
  .enum(['display', 'file'])
  .default('display')
  .describe('display: shown as a live page and kept as a file · file: only kept as a file');

type Written = {
  readonly filepath: string;
  readonly channel: z.output<typeof channelSchema>;
  readonly kind: z.output<typeof kindSchema>;
  readonly content: string;
};

export const writeTool = createTool({
  id: 'react.write',
  kind: 'control',
  traits: ['neutral'],
  effects: 'keyed',
  concurrency: 'alone',
  description:
    'Writes a text file of this turn and shows it. Give the parameters in the order path, channel, content, kind, because content is shown while you write it. ' +
    'path: outputs/<name> for what you produce, files/<name> for the workspace; the extension decides how it is shown (md html mermaid json svg csv yaml txt xml). ' +
    'With channel internal and scratchpad true the content becomes a note to yourself instead of a file.',
  input: z.object({
    path: z.string().min(1).describe('outputs/<name> or files/<name>'),
    channel: channelSchema,
    content: z.string().max(writeCharsMax),
    kind: kindSchema,
    scratchpad: z.boolean().default(false).describe('only with channel internal'),
  }),
  run: async ({ path, channel, content, kind, scratchpad }, context) => {
    if (scratchpad && channel === 'internal') {
      context.services.note(content);
      return { result: { ok: true, ret: { noted: true } }, preview: 'Noted.' };
    }
    const filepath = toTurnFile(path, { turn: context.turn, bare: 'outputs' });
    return keepText({ filepath, channel, content, kind }, context);
  },
});

/** Writes the file and shows it where its channel says; the same for a new text and for a patched one. */
export async function keepText(written: Written, context: CallContext): Promise<ToolOutcome> {
  const { filepath, channel, content, kind } = written;
  const bytes = new TextEncoder().encode(content);
  const visibility = channel === 'internal' ? 'internal' : 'external';
  const file = await context.services.writeFile({
    filepath,
    bytes,
    visibility,
    mime: textMime(filepath),
  });
  const shown = channel === 'timeline_text' || (channel === 'canvas' && kind === 'display');
  const blocks = shown ? await show(written, file, context) : [];
  const where = shown ? `, shown in ${channel}` : '';
  const preview = `${file.path} · ${grouped(content.length)} characters, ${file.mime}${where}`;
  return {
    result: { ok: true, ret: { ...file, characters: content.length, shown } },
    preview,
    blocks,
  };
}

/** What was streamed while the model wrote it is a block that replaces its stream; what was not is streamed now. */
async function show({ channel, filepath, content }: Written, file: FileRef, context: CallContext) {
  const { turn, call, services, stream } = context;
  const streamed = stream === undefined ? {} : { stream };
  if (channel === 'timeline_text') {
    return [
      {
        turn,
        call,
        type: 'timeline_text',
        author: 'agent',
        text: content,
        data: streamed,
      } as const,
    ];
  }
  const name = filepath.replace(/^outputs\//, '');
  if (stream === undefined) {
    const canvas = services.canvas(name, { mime: file.mime, title: file.filename });
    canvas.write(content);
    await canvas.close();
    return [];
  }
  const data = { name, title: file.filename, stream };
  const path = paths.canvas(turn, name);
  return [
    {
      turn,
      call,
      type: 'canvas',
      author: 'agent',
      path,
      mime: file.mime,
      text: content,
      data,
    } as const,
  ];
}

function textMime(filepath: string): string {
  const mime = mimeOf(fileName(filepath));
  return mime === 'application/octet-stream' ? 'text/plain' : mime;
}
