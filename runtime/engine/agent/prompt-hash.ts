import { createHash } from 'node:crypto';
import { contentOf, type RenderPart, roleOf } from '../../timeline/render/parts.ts';

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
    const role = roleOf(part) === 'assistant' ? ['assistant'] : [];
    hash.update(JSON.stringify([part.kind, contentOf(part), part.checkpoint === true, ...role]));
  }
  return `sha256:${hash.digest('hex')}`;
}
