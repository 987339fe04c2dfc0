import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths as named, parsePath } from '../../../timeline/paths.ts';
import { sizeText } from '../../../timeline/render/text.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { createTool } from '../../definition/create-tool.ts';
import { fileName } from '../../files/file-path.ts';
import { pulledPath } from '../../files/workspace.ts';
import { missingPathChars } from '../../limits.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { callNotice } from '../../results/call-notice.ts';
import { cutText } from '../../text/cut-text.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import { pullBytesMax, pullPathsMax } from './limits.ts';

export const pullTool = createTool({
  id: 'react.pull',
  kind: 'control',
  traits: ['neutral'],
  concurrency: 'alone',
  description:
    'Gives programs and react.rg files of earlier turns, read-only, as t3/outputs/…, t3/files/… or t3/attachments/… under OUTPUT_DIR, for the whole conversation. ' +
    'A path that ends in / pulls all files beneath it. share also gives the one file named to the user again.',
  input: z.object({
    paths: z.array(z.string()).min(1).max(pullPathsMax),
    share: z.boolean().default(false),
  }),
  run: async ({ paths: asked, share }, context) => {
    const requested = [...new Set(asked.map((path) => path.trim()))];
    const found = await findAll(requested, context);
    if (found.files.length === 0) return nothingFound(found);
    const { kept, left } = withinLimits(found.files);
    const shared = share ? toShare(requested, kept, context) : undefined;
    const ret: Json = {
      requested: requested.map((path) => cutText(path, missingPathChars)),
      pulled: kept.map((file) => toRow(file, context)),
      missing: found.missing,
      invalid: found.invalid.map((each) => ({ ...each })),
      share,
      shared: shared?.path ?? null,
      ...(left.length > 0 ? { left_out: left } : {}),
    };
    return {
      result: { ok: true, ret },
      preview: toPreview({ found, kept, left, shared: shared?.path }, context),
      blocks: [...pulledBlock(kept, context), ...(shared?.blocks ?? [])],
    };
  },
});

/** An error, because a program after this call would not find its files. */
function nothingFound({ missing, invalid }: FoundFiles): ToolOutcome {
  const why = [
    ...missing.map((path) => `nothing is at ${path}`),
    ...invalid.map(({ path, code }) => `${code}: ${path}`),
  ];
  const message = `Nothing was pulled: ${why.join('; ')}. react.rg without a pattern lists the files there are.`;
  const error = { code: 'pull_found_nothing', message, retryable: false };
  const ret: Json = { missing, invalid: invalid.map((each) => ({ ...each })) };
  return { result: { ok: false, error, ret } };
}

type InvalidPath = { readonly path: string; readonly code: string };

type FoundFiles = {
  readonly files: readonly FoundFile[];
  readonly missing: readonly string[];
  readonly invalid: readonly InvalidPath[];
};

async function findAll(requested: readonly string[], context: CallContext): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const missing: string[] = [];
  const invalid: InvalidPath[] = [];
  for (const path of requested) {
    const found = await findFiles(path, context);
    for (const file of found) files.set(file.path, file);
    if (found.length > 0) continue;
    const code = invalidCode(path);
    const short = cutText(path, missingPathChars);
    if (code === undefined) missing.push(short);
    else invalid.push({ path: short, code });
  }
  return { files: [...files.values()], missing, invalid };
}

/** Undefined for a valid path at which no file exists. */
function invalidCode(path: string): string | undefined {
  const plain = path.replace(/^conv:/, '');
  if (!plain.startsWith('fi:')) return 'pull_require_exact_file_ref';
  return plain.endsWith('/') || parsePath(plain) ? undefined : 'unresolvable_fi_ref';
}

/** Files in the requested order, as far as the limits allow. */
function withinLimits(files: readonly FoundFile[]) {
  const kept: FoundFile[] = [];
  const left: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const fits = kept.length < pullPathsMax && bytes + file.blob.size <= pullBytesMax;
    if (!fits) left.push(file.path);
    else {
      kept.push(file);
      bytes += file.blob.size;
    }
  }
  return { kept, left };
}

type PullParts = {
  readonly found: FoundFiles;
  readonly kept: readonly FoundFile[];
  readonly left: readonly string[];
  readonly shared: string | undefined;
};

/** A line for each file with the name that a program opens; then the paths that could not be pulled. */
function toPreview({ found, kept, left, shared }: PullParts, context: CallContext): string {
  const { path: shown } = shortNames(context.view);
  return [
    ...kept.map((file) => `${toRow(file, context).available_as} · ${sizeText(file.blob.size)}`),
    ...found.missing.map((path) => `missing (nothing is there): ${path}`),
    ...found.invalid.map(({ path, code }) => `${code}: ${path}`),
    ...left.map((path) => `left out, over the limits: ${shown(path)}`),
    ...(shared === undefined ? [] : [`given to the user as ${shown(shared)}`]),
  ].join('\n');
}

function toRow(file: FoundFile, { turn, view }: CallContext) {
  const other = file.turn === turn ? undefined : pulledPath(file.path, view);
  const available_as = other ?? file.local;
  return { path: file.path, available_as, mime: file.mime, size: file.blob.size };
}

function pulledBlock(files: readonly FoundFile[], { turn, call }: CallContext): readonly Draft[] {
  const data = { paths: files.map(({ path }) => path) };
  return files.length > 0 ? [{ turn, call, type: 'workspace.pull', author: 'tool', data }] : [];
}

type SharedFile = { readonly path?: string; readonly blocks: readonly Draft[] };

/** The same blob under a path of this turn that the user sees. */
function toShare(
  requested: readonly string[],
  files: readonly FoundFile[],
  context: CallContext,
): SharedFile {
  const [file] = files;
  if (requested.length !== 1 || requested[0]?.endsWith('/') || files.length > 1) {
    const text = 'Nothing was shared: share takes exactly one file.';
    return { blocks: [callNotice(context, 'react.pull.share_single_file_only', text)] };
  }
  if (!file) {
    const text = 'Nothing was shared: the file is over the limits.';
    return { blocks: [callNotice(context, 'react.pull.share_failed', text)] };
  }
  const { turn, call } = context;
  const { mime, blob, path: from } = file;
  const filename = fileName(file.local);
  const path = named.file(turn, `outputs/${filename}`);
  const data = { filename, size: blob.size, visibility: 'external', description: `from ${from}` };
  return {
    path,
    blocks: [{ turn, call, type: 'artifact.file', author: 'tool', path, mime, blob, data }],
  };
}
