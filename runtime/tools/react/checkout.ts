import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import type { Draft } from '../../timeline/block.ts';
import { paths as named } from '../../timeline/paths.ts';
import { createTool } from '../create-tool.ts';
import { fileName } from '../file-path.ts';
import type { CallContext } from '../tool.ts';
import { filesOf } from '../workspace.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import { checkoutFilesMax } from './limits.ts';

export const checkoutTool = createTool({
  id: 'react.checkout',
  kind: 'control',
  traits: ['neutral'],
  effects: 'keyed',
  concurrency: 'alone',
  description:
    'Copies files of an earlier turn into this turn under the same name, so that you and your programs can change them. ' +
    'paths: fi:<turn>.files/… or fi:<turn>.outputs/…; one that ends in / copies everything beneath it.',
  input: z.object({
    paths: z.array(z.string()).min(1),
    mode: z
      .enum(['overlay', 'replace'])
      .default('overlay')
      .describe(
        'overlay: over what is there · replace: only into a turn without files/ of its own',
      ),
  }),
  run: async ({ paths, mode }, context) => {
    if (mode === 'replace') assertClean(context);
    const found: FoundFile[] = [];
    const missing: string[] = [];
    for (const path of paths) {
      const files = (await findFiles(path, context)).filter(isWritable);
      if (files.length === 0) missing.push(path);
      found.push(...files);
    }
    if (found.length > checkoutFilesMax) {
      throw new Refusal('too_many', `${found.length} files; ${checkoutFilesMax} at a time.`);
    }
    const checked_out = found.map(({ path, local }) => ({
      from: path,
      to: named.file(context.turn, local),
    }));
    return {
      result: { ok: true, ret: { mode, checked_out, missing } },
      blocks: found.map((file) => toCopy(file, context)),
    };
  },
});

function assertClean({ view, turn }: CallContext): void {
  const own = view.turns.findLast(({ id }) => id === turn);
  if (own && filesOf(own).some(({ local }) => local.startsWith('files/'))) {
    throw new Refusal('checkout_nonempty', 'This turn already has files/. Use mode overlay.');
  }
}

function isWritable({ local }: FoundFile): boolean {
  return local.startsWith('files/') || local.startsWith('outputs/');
}

/** The same bytes under this turn: nothing is copied but the name. */
function toCopy({ local, mime, blob, path }: FoundFile, { turn, call }: CallContext): Draft {
  const filename = fileName(local);
  const data = { filename, size: blob.size, visibility: 'internal', description: `from ${path}` };
  return {
    turn,
    call,
    type: 'artifact.file',
    author: 'tool',
    path: named.file(turn, local),
    mime,
    blob,
    data,
  };
}
