import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { ContentHash } from '../../../base/bytes/content-hash.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Mask } from '../../../sdk/compile/host/mask.ts';
import { toBlockPath } from '../../../timeline/paths.ts';
import type { Attachment, CallContext, ToolOutcome } from '../../../tools/ports/tool.ts';
import { checkAttachment, isAttachable } from '../../../tools/react/read/attachments.ts';
import { openBudget } from '../../../tools/react/read/read-budget.ts';
import { cutText } from '../../../tools/text/cut-text.ts';
import { oneLine } from './clean-schema.ts';
import { errorCharsMax, filesPerResultMax } from './limits.ts';

type Options = { readonly mask: Mask; readonly context: CallContext };
type StoredContent = { readonly file: JsonObject; readonly attachment: Attachment | undefined };

/**
 * Converts a server's result: structured content, or else the text. Images and other binary content become files of the
 * call, which the prompt shows if it can. An error that the server reports is an error. If structured content has an
 * integer that JavaScript may have rounded, the text is used, which has all digits; without a text the result is an error.
 */
export async function toOutcome(result: CallToolResult, options: Options): Promise<ToolOutcome> {
  const { mask } = options;
  const { content } = result;
  const text = mask.text(content.flatMap(textOf).join('\n'));
  const whole = structuredOf(result, mask);
  const doubtful = whole === undefined ? undefined : firstDoubtful(whole);
  const structured = doubtful === undefined ? whole : undefined;
  if (result.isError === true) return { result: failed(text, structured) };
  if (doubtful !== undefined && text === '') return { result: withoutDigits(doubtful) };
  const said = structured ?? text;
  const kept = await keep(content.flatMap(bytesOf), options);
  if (kept.length === 0) return { result: { ok: true, ret: said } };
  const files = kept.map(({ file }) => file);
  const ret = isJsonObject(said) ? { ...said, files } : { text: said, files };
  return {
    result: { ok: true, ret },
    attached: kept.flatMap(({ attachment }) => attachment ?? []),
  };
}

function structuredOf({ structuredContent }: CallToolResult, mask: Mask): Json | undefined {
  if (structuredContent === undefined) return undefined;
  return mask.json(JSON.parse(JSON.stringify(structuredContent)));
}

type Doubtful = { readonly path: readonly string[]; readonly value: number };

/** Once parsed, any integer beyond ±2^53 may have been rounded. */
function firstDoubtful(value: Json, path: readonly string[] = []): Doubtful | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { path, value } : undefined;
  }
  for (const [key, each] of typeof value === 'object' ? Object.entries(value ?? {}) : []) {
    const found = firstDoubtful(each, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

function withoutDigits({ path, value }: Doubtful): ToolOutcome['result'] {
  const place = oneLine(path.join('.'), errorCharsMax / 4);
  const message = `The call was made, but its result cannot be passed on: it holds ${value} at ${place}, an integer beyond ±9,007,199,254,740,991 that was read with fewer digits, and no text. The server has to send it as text.`;
  return { ok: false, error: { code: 'digits_lost', message, retryable: false } };
}

function failed(text: string, structured: Json | undefined): ToolOutcome['result'] {
  const message = cutText(text, errorCharsMax) || 'The server says no more than that it failed.';
  const ret = structured ?? (text.length > errorCharsMax ? text : undefined);
  const error = { code: 'tool_failed', message, retryable: false };
  return { ok: false, error, ...(ret === undefined ? {} : { ret }) };
}

function textOf(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return [block.text];
  if (block.type === 'resource_link') {
    return [
      `${block.title ?? block.name}: ${block.uri}${block.description ? ` (${block.description})` : ''}`,
    ];
  }
  if (block.type === 'resource' && 'text' in block.resource) {
    return [`${block.resource.uri}:\n${block.resource.text}`];
  }
  return [];
}

type Bytes = { readonly data: string; readonly mime: string; readonly from?: string };

function bytesOf(block: ContentBlock): readonly Bytes[] {
  if (block.type === 'image' || block.type === 'audio') {
    return [{ data: block.data, mime: block.mimeType }];
  }
  if (block.type !== 'resource' || !('blob' in block.resource)) return [];
  const { blob, mimeType = 'application/octet-stream', uri } = block.resource;
  return [{ data: blob, mime: mimeType, from: uri }];
}

async function keep(
  found: readonly Bytes[],
  { context, mask }: Options,
): Promise<readonly StoredContent[]> {
  const { attach } = openBudget(context.contextTokens);
  const kept: StoredContent[] = [];
  for (const [index, { data, mime, from }] of found.slice(0, filesPerResultMax).entries()) {
    const bytes = new Uint8Array(Buffer.from(data, 'base64'));
    const plain = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(mime) ? mime : 'application/octet-stream';
    const written = await context.services.writeFile({
      filepath: `files/mcp/${context.call}-${index + 1}.${extensionOf(plain)}`,
      bytes,
      mime: plain,
      visibility: 'internal',
      ...(from === undefined ? {} : { description: oneLine(mask.text(from), 400) }),
    });
    const { path, size } = written;
    const blob = await refOf(bytes);
    const judged =
      isAttachable(plain) &&
      checkAttachment({ path: toBlockPath(path), mime: plain, blob }, bytes, attach);
    const attachment = judged !== false && judged.ok ? judged.attachment : undefined;
    kept.push({ file: { path, mime: plain, size }, attachment });
  }
  return kept;
}

function extensionOf(mime: string): string {
  const [, kind = ''] = mime.split('/');
  const [word = ''] = kind.split(/[+;]/);
  return /^[a-z0-9]{1,10}$/.test(word) && word !== 'octet' ? word : 'bin';
}

/** Files by the path that the store gave them. */
async function refOf(bytes: Uint8Array) {
  const meter = new ContentHash();
  for await (const _ of meter.through(bytes));
  return meter.ref();
}
