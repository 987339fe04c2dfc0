import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from './catalogue.ts';

/** A blob that a block refers to: its own, the text of a PDF, a text of a prompt, or a file that a result attaches to a prompt. */
type NamedBlob = { readonly seq: number; readonly name: string; readonly hash: string };

export function namedBlobs(blocks: readonly Block[]): readonly NamedBlob[] {
  return blocks.flatMap((block) => {
    const { seq, blob, path, type } = block;
    const own = blob ? [{ seq, name: path ?? type, hash: blob.hash }] : [];
    return [...own, ...inData(block).map(([name, hash]) => ({ seq, name, hash }))];
  });
}

type Named = readonly (readonly [name: string, hash: string])[];

function inData(block: Block): Named {
  switch (block.type) {
    case 'round.open':
      return textsOf(block);
    case 'user.attachment':
      return oneOf('text', dataOf('user.attachment', block)?.text);
    case 'model.call':
      return oneOf('carry', dataOf('model.call', block)?.carry?.blob);
    case 'react.tool.result': {
      const { attached = [] } = dataOf('react.tool.result', block) ?? {};
      return attached.map(({ path, blob }) => [path, blob.hash] as const);
    }
    default:
      return [];
  }
}

function oneOf(name: string, blob: { readonly hash: string } | undefined): Named {
  return blob ? [[name, blob.hash]] : [];
}

function textsOf({ data }: Block): Named {
  const hashes = isJsonObject(data) ? data['hashes'] : undefined;
  if (!isJsonObject(hashes)) return [];
  return Object.entries(hashes).flatMap(([name, hash]) =>
    typeof hash === 'string' ? [[name, hash] as const] : [],
  );
}
