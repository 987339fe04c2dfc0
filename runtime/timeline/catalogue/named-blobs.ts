import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from './catalogue.ts';

/** A blob that a block refers to: its own, a text of a prompt, or a file that a result attaches to a prompt. */
type NamedBlob = { readonly seq: number; readonly name: string; readonly hash: string };

export function namedBlobs(blocks: readonly Block[]): readonly NamedBlob[] {
  return blocks.flatMap((block) => {
    const { seq, blob, path, type } = block;
    const own = blob ? [{ seq, name: path ?? type, hash: blob.hash }] : [];
    const texts = type === 'round.open' ? textsOf(block) : [];
    const attached =
      type === 'react.tool.result' ? (dataOf('react.tool.result', block)?.attached ?? []) : [];
    const carry = type === 'model.call' ? dataOf('model.call', block)?.carry : undefined;
    return [
      ...own,
      ...(carry ? [{ seq, name: 'carry', hash: carry.blob.hash }] : []),
      ...texts.map(([name, hash]) => ({ seq, name, hash })),
      ...attached.map((each) => ({ seq, name: each.path, hash: each.blob.hash })),
    ];
  });
}

function textsOf({ data }: Block): readonly (readonly [string, string])[] {
  const hashes = isJsonObject(data) ? data['hashes'] : undefined;
  if (!isJsonObject(hashes)) return [];
  return Object.entries(hashes).flatMap(([name, hash]) =>
    typeof hash === 'string' ? [[name, hash] as const] : [],
  );
}
