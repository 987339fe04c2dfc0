import { createHash } from 'node:crypto';
import type { RenderPart } from '../../timeline/render/render.ts';

export function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

type Rendered = { readonly system: string; readonly parts: readonly RenderPart[] };

/**
 * Hash of a whole prompt with its parts and cache marks. It is on the log, so that a rebuilt prompt can be compared
 * with the one that was sent.
 */
export function hashPrompt({ system, parts }: Rendered): string {
  const hash = createHash('sha256').update(JSON.stringify(system));
  for (const part of parts) {
    const content = part.kind === 'text' ? part.text : part.blob.hash;
    hash.update(JSON.stringify([part.kind, content, part.checkpoint === true]));
  }
  return `sha256:${hash.digest('hex')}`;
}
