import { z } from 'zod';
import type { Json } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths as named } from '../../../timeline/paths.ts';
import { sizeText } from '../../../timeline/render/text.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { createTool } from '../../definition/create-tool.ts';
import { fileName } from '../../files/file-path.ts';
import { filesOf } from '../../files/workspace.ts';
import { missingPathChars } from '../../limits.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { cutText, grouped } from '../../text/cut-text.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import { checkoutBytesMax, checkoutFilesMax, pullPathsMax } from './limits.ts';

export const checkoutTool = createTool({
  id: 'react.checkout',
  kind: 'control',
  traits: ['neutral'],
  effects: 'keyed',
  concurrency: 'alone',
  description:
    'Copies files of an earlier turn into this turn under the same name, so that you can change them; a copy stays internal until you do (react.pull with share gives a file to the user unchanged). ' +
    'A path that ends in / copies all files beneath it. All or nothing.',
  input: z.object({
    paths: z.array(z.string()).min(1).max(pullPathsMax),
    mode: z
      .enum(['overlay', 'replace'])
      .default('overlay')
      .describe('replace: only into a turn without files/ of its own'),
  }),
  run: async ({ paths, mode }, context) => {
    if (mode === 'replace' && hasFiles(context)) return dirty;
    const found = await findAll([...new Set(paths)], context);
    const refusal = refusalOf(found);
    if (refusal) return refusal;
    const copies = [...found.files.values()].filter(({ turn }) => turn !== context.turn);
    const { path: shown } = shortNames(context.view);
    const ret: Json = {
      mode,
      checked_out_from: [...new Set(copies.map(({ turn }) => turn))],
      checked_out: copies.map(({ path, local, blob }) => ({
        from: path,
        to: named.file(context.turn, local),
        size: blob.size,
      })),
      overridden: found.overridden,
      missing: [],
    };
    const preview = [
      ...copies.map(
        ({ local, path, blob }) => `${local} · ${sizeText(blob.size)} · from ${shown(path)}`,
      ),
      ...found.overridden.map(
        (path) => `not copied, another of the same name came later: ${shown(path)}`,
      ),
    ].join('\n');
    const blocks = copies.map((file) => toCopy(file, context));
    return { result: { ok: true, ret }, preview, blocks };
  },
});

type FoundFiles = {
  /** Keyed by the name of the copy. */
  readonly files: ReadonlyMap<string, FoundFile>;
  /** Files replaced by a later file of the same name in the request. */
  readonly overridden: readonly string[];
  readonly missing: readonly string[];
};

async function findAll(paths: readonly string[], context: CallContext): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const overridden: string[] = [];
  const missing: string[] = [];
  for (const path of paths) {
    const found = (await findFiles(path, context)).filter(isWritable);
    if (found.length === 0) missing.push(cutText(path, missingPathChars));
    for (const file of found) {
      const before = files.get(file.local);
      if (before && before.path !== file.path) overridden.push(before.path);
      files.set(file.local, file);
    }
  }
  return { files, overridden, missing };
}

function refusalOf({ files, missing }: FoundFiles): ToolOutcome | undefined {
  const bytes = [...files.values()].reduce((sum, { blob }) => sum + blob.size, 0);
  if (missing.length > 0) {
    const message = `Nothing was copied. These paths have no files/ or outputs/: ${missing.join(', ')}`;
    return refused('checkout_missing_paths', message, { missing: [...missing] });
  }
  if (files.size <= checkoutFilesMax && bytes <= checkoutBytesMax) return undefined;
  const message = `${files.size} files of ${grouped(bytes)} bytes; ${checkoutFilesMax} of ${grouped(checkoutBytesMax)} at a time. Nothing was copied.`;
  return refused('react.checkout.failed', message);
}

const dirty = refused(
  'react.checkout.nonempty',
  'This turn already has files/ of its own. Use mode overlay. Nothing was copied.',
);

function refused(code: string, message: string, ret?: Json): ToolOutcome {
  const error = { code, message, retryable: false };
  return { result: { ok: false, error, ...(ret === undefined ? {} : { ret }) } };
}

function hasFiles({ view, turn }: CallContext): boolean {
  const own = view.turns.findLast(({ id }) => id === turn);
  return own !== undefined && filesOf(own).some(({ local }) => local.startsWith('files/'));
}

function isWritable({ local }: FoundFile): boolean {
  return local.startsWith('files/') || local.startsWith('outputs/');
}

/** The same blob under a path of this turn; no bytes are copied. */
function toCopy({ local, mime, blob, path: from }: FoundFile, { turn, call }: CallContext): Draft {
  const path = named.file(turn, local);
  const filename = fileName(local);
  const data = { filename, size: blob.size, visibility: 'internal', description: `from ${from}` };
  return { turn, call, type: 'artifact.file', author: 'tool', path, mime, blob, data };
}
