import type { JsonObject } from '../../base/json.ts';
import type { BlobRef } from '../block.ts';
import type { CallId } from '../ids.ts';

/**
 * One content part of a prompt. Parts end at turn headers, round ends, binaries and changes of role, and are never merged
 * or split later.
 */
export type RenderPart = (TextPart | BlobPart | CallPart | ResultPart | CarryPart) & {
  readonly checkpoint?: true;
};

type TextPart = {
  readonly kind: 'text';
  readonly text: string;
  /** Of a reply of the model. Absent: of the user's message. */
  readonly role?: 'assistant';
};

type BlobPart = {
  readonly kind: 'blob';
  readonly mime: string;
  readonly blob: BlobRef;
  readonly path: string;
};

/** A call in a reply of `native-tools`. */
type CallPart = {
  readonly kind: 'call';
  readonly call: CallId;
  /** The id of the tool; its name on the wire is the engine's. */
  readonly tool: string;
  readonly input: JsonObject;
};

/** The result of a call, in the user's message after it. */
type ResultPart = {
  readonly kind: 'result';
  readonly call: CallId;
  readonly ok: boolean;
  readonly text: string;
};

/** Reasoning that goes back to its provider as it came: a list of pieces of kind `carry`, as JSON. */
type CarryPart = { readonly kind: 'carry'; readonly blob: BlobRef };

export function roleOf(part: RenderPart): 'user' | 'assistant' {
  if (part.kind === 'call' || part.kind === 'carry') return 'assistant';
  return part.kind === 'text' && part.role === 'assistant' ? 'assistant' : 'user';
}

/** What a provider's cache sees of a part of this kind and role: equal texts mean equal bytes. */
export function contentOf(part: RenderPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'blob':
    case 'carry':
      return part.blob.hash;
    case 'call':
      return JSON.stringify([part.call, part.tool, part.input]);
    case 'result':
      return JSON.stringify([part.call, part.ok, part.text]);
  }
}
