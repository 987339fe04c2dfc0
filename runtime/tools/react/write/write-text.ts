import { createHash } from 'node:crypto';
import { citationsIn } from '../../../channels/citations/citations.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import { shortNames } from '../../../timeline/short-names.ts';
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

/** Writes the file and shows it in its channel; used for new and for patched texts. */
export async function writeText(written: TextWrite, context: CallContext): Promise<ToolOutcome> {
  const { channel, content, kind } = written;
  const { filepath } = written.at;
  const named = mimeOf(fileName(filepath));
  const fits = isTextual(named) || named === 'application/octet-stream';
  const mime = isTextual(named) ? named : 'text/plain';
  const visibility = channel === 'internal' ? 'internal' : 'external';
  const bytes = new TextEncoder().encode(content);
  const file = await context.services.writeFile({ filepath, bytes, visibility, mime });
  const shown = channel === 'timeline_text' || (channel === 'canvas' && kind === 'display' && fits);
  const blocks = shown ? await show(written, file, context) : [];
  const path = shortNames(context.view).path(file.path);
  const cited = citationsIn(content);
  const known = new Set(context.view.sources.map(({ sid }) => sid));
  const used = cited.filter((sid) => known.has(sid));
  const where = shown ? `, shown in ${channel}` : '';
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
        rewritten: written.at.rewritten ? file.path : undefined,
        unfit: fits ? undefined : named,
        unknown: cited.filter((sid) => !known.has(sid)),
        raw: channel === 'timeline_text' ? [] : used,
      }),
    ],
  };
}

type WriteIssues = {
  readonly rewritten: string | undefined;
  readonly unfit: string | undefined;
  readonly unknown: readonly number[];
  /** Sources that the file cites by tokens; in files, tokens are not turned into links. */
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
