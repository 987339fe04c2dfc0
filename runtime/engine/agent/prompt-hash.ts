import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { rememberLast } from '../../base/remember-last.ts';
import { contentOf, type RenderPart, roleOf } from '../../timeline/render/parts.ts';

export function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Hash of a text. Most rounds use the same long texts, so those used last are remembered. */
export const hashOfText = rememberLast((text) => hashOf(Buffer.from(text)));

/** The beginning of a prompt's hash, which depends on its long system text alone. */
const hashOfSystem = rememberLast((system) => createHash('sha256').update(JSON.stringify(system)));

type Rendered = {
  readonly system: string;
  readonly parts: readonly RenderPart[];
  /** What the request has beside its text. */
  readonly beside?: Beside | undefined;
};

/** `tools`: the text of the offered tools. */
export type Beside = {
  readonly tools?: string | undefined;
  readonly choice?: Json | undefined;
  readonly format?: 'json' | undefined;
};

/**
 * Hash of a whole prompt with its parts and cache marks. It is on the log, so that a rebuilt prompt can be compared
 * with the one that was sent.
 */
export function hashPrompt({ system, parts, beside = {} }: Rendered): string {
  const hash = hashOfSystem(system).copy();
  for (const part of parts) {
    const role = roleOf(part) === 'assistant' ? ['assistant'] : [];
    hash.update(JSON.stringify([part.kind, contentOf(part), part.checkpoint === true, ...role]));
  }
  const { tools, choice, format } = beside;
  if (tools !== undefined) hash.update(JSON.stringify(['tools', tools, choice ?? null]));
  if (format !== undefined) hash.update(JSON.stringify(['format', format]));
  return `sha256:${hash.digest('hex')}`;
}

/** Read from a `round.open`; `tools` is the text under its hash `offer`. */
export function besideOf(
  { choice, protocol }: { readonly [key: string]: unknown },
  tools: string | undefined,
): Beside {
  return {
    ...(tools === undefined ? {} : { tools, choice: z.json().catch(null).parse(choice) }),
    ...(protocol === 'json' ? { format: 'json' } : {}),
  };
}
