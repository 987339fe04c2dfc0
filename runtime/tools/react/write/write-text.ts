import { createHash } from 'node:crypto';
import { canvasFormat } from '../../../channels/citations/canvas-format.ts';
import { citationsIn, replaceCitations } from '../../../channels/citations/citations.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import type { SourceRow } from '../../../timeline/view.ts';
import { fileName } from '../../files/file-path.ts';
import { isTextual, mimeOf } from '../../files/mime.ts';
import type { FileRef } from '../../ports/call-services.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { callNotice } from '../../results/call-notice.ts';
import { grouped } from '../../text/cut-text.ts';
import type { ArtifactPath } from './artifact-path.ts';

export type TextWrite = {
  readonly at: ArtifactPath;
  readonly channel: 'canvas' | 'internal' | 'timeline_text';
  readonly kind: 'display' | 'file';
  readonly content: string;
};

/**
 * Writes the file and shows it in its channel; used for new and for patched texts. In pages and Markdown files for people
 * citations become links, because a file leaves the conversation without its sources.
 */
export async function writeText(asked: TextWrite, context: CallContext): Promise<ToolOutcome> {
  const { channel, kind, at } = asked;
  const { filepath } = at;
  const { named, fits, mime } = typeOf(filepath);
  const visibility = channel === 'internal' ? 'internal' : 'external';
  const { cited, used, content } = linked(asked, { mime, pool: context.view.sources });
  const bytes = new TextEncoder().encode(content);
  const file = await context.services.writeFile({ filepath, bytes, visibility, mime });
  const shown = channel === 'timeline_text' || (channel === 'canvas' && kind === 'display' && fits);
  const inFile = { ...asked, content: channel === 'canvas' ? content : asked.content };
  const blocks = shown ? await show(inFile, file, context) : [];
  const path = shortNames(context.view).path(file.path);
  const isLinked = content !== asked.content;
  const where = `${shown ? `, shown in ${channel}` : ''}${isLinked ? ', its citations are links' : ''}`;
  return {
    result: {
      ok: true,
      ret: {
        ...file,
        kind,
        characters: content.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        shown,
        sources_used: used,
      },
    },
    preview: `${path} · ${grouped(content.length)} characters, ${file.mime}${where}`,
    blocks: [
      ...blocks,
      ...notices(context, {
        rewritten: at.rewritten ? file.path : undefined,
        unfit: fits ? undefined : named,
        unknown: cited.filter((sid) => !used.includes(sid)),
        raw: isLinked || channel === 'timeline_text' ? [] : used,
      }),
    ],
  };
}

function typeOf(filepath: string) {
  const named = mimeOf(fileName(filepath));
  const fits = isTextual(named) || named === 'application/octet-stream';
  return { named, fits, mime: isTextual(named) ? named : 'text/plain' };
}

type Linked = {
  readonly cited: readonly number[];
  /** Cited sources that exist. */
  readonly used: readonly number[];
  readonly content: string;
};

function linked(
  { channel, content }: TextWrite,
  { mime, pool }: { mime: string; pool: readonly SourceRow[] },
): Linked {
  const format = canvasFormat(mime);
  const cited = citationsIn(content, format);
  const sources = new Map(pool.map((row) => [row.sid, row]));
  const used = cited.filter((sid) => sources.has(sid));
  if (format === undefined || channel === 'internal' || used.length === 0)
    return { cited, used, content };
  const resolve = (sid: number) => {
    const row = sources.get(sid);
    if (!row) return undefined;
    // Outside of the conversation, the path of a file leads nowhere.
    const url = /^(https?|mailto):/i.test(row.url) ? row.url : '';
    return { title: row.title || row.url, url };
  };
  return { cited, used, content: replaceCitations(content, resolve, format) };
}

type WriteIssues = {
  readonly rewritten: string | undefined;
  readonly unfit: string | undefined;
  readonly unknown: readonly number[];
  /** Sources that the file cites by tokens that stay as they are. */
  readonly raw: readonly number[];
};

function notices(
  context: CallContext,
  { rewritten, unfit, unknown, raw }: WriteIssues,
): readonly Draft[] {
  const candidates: readonly (readonly [code: string, text: string | undefined])[] = [
    ['path_rewritten', rewritten && `It is at ${rewritten}.`],
    [
      'write_extension_mismatch',
      unfit &&
        `A text is not ${unfit}: it was kept as text/plain and not shown. A program can make such a file.`,
    ],
    [
      'citation_unresolved',
      unknown.length > 0 ? `SOURCES has no ${citationToken(unknown)}.` : undefined,
    ],
    [
      'citation_in_file',
      raw.length > 0
        ? `A file keeps ${citationToken(raw)} as it stands, and people see the token: write [title](url) there.`
        : undefined,
    ],
  ];
  return candidates.flatMap(([code, text]) =>
    text === undefined ? [] : [callNotice(context, code, text)],
  );
}

function citationToken(sids: readonly number[]): string {
  return `[[S:${sids.join(',')}]]`;
}

/** Text that was streamed while the model wrote it becomes a block that replaces the stream; other text is streamed now. */
async function show(
  { channel, at, content: text }: TextWrite,
  file: FileRef,
  { turn, call, services, stream }: CallContext,
): Promise<readonly Draft[]> {
  const made = { turn, call, author: 'agent' as const, text };
  if (channel === 'timeline_text') {
    return [{ ...made, type: 'timeline_text', data: stream === undefined ? {} : { stream } }];
  }
  const name = at.filepath.replace(/^outputs\//, '');
  if (stream === undefined) {
    const canvas = services.canvas(name, {
      mime: file.mime,
      title: file.filename,
      file: file.path,
    });
    canvas.write(text);
    await canvas.close();
    return [];
  }
  const data = { name, title: file.filename, file: file.path, stream };
  return [{ ...made, type: 'canvas', path: paths.canvas(turn, name), mime: file.mime, data }];
}
