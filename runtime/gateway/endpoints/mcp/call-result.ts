import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { Block } from '../../../timeline/block.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import type { BegunCall } from './begin-call.ts';
import type { McpCaller } from './messages/caller.ts';
import { fileUri } from './messages/uris.ts';
import { embeddedIn } from './resources/embedded-files.ts';

/** Blocks read at once to find the result of a call. */
const pageBlocks = 200;

/** The result of a call whose turn has ended: of a tool what it returned, of an agent its answer. */
export async function resultOf(
  caller: McpCaller,
  { row, turn, start }: BegunCall,
  { name, end }: { name: string; end: WireEnvelope },
): Promise<CallToolResult> {
  const data = end.data ?? {};
  const files = filesIn(data);
  const embedded = await embeddedIn(caller, row, files);
  const _meta = { 'timeloom/conversation_id': row.id, 'timeloom/turn_id': turn };
  const isTool = caller.endpoint.tools.some(({ id }) => id === name);
  const result = isTool ? await toolResultIn(caller, { row, turn, start }) : undefined;
  const outcome = result ? fromTool(result, returnsObject(caller, name)) : fromAgent(end);
  return {
    ...outcome,
    content: [...outcome.content, ...embedded, ...linksTo(files, row.id)],
    _meta,
  };
}

type CallOutcome = Pick<CallToolResult, 'isError' | 'structuredContent'> & {
  readonly content: ContentBlock[];
};

function fromAgent({ type, data = {} }: WireEnvelope): CallOutcome {
  if (type === 'chat.error') return failed(textOf(data['message']));
  const text = { type: 'text', text: textOf(data['text']) } as const;
  const isStopped = data['reason'] === 'interrupted';
  const { output } = data;
  return {
    content: [text],
    ...(isObject(output) ? { structuredContent: output } : {}),
    ...(isStopped ? { isError: true } : {}),
  };
}

function fromTool({ data }: Block, isTyped: boolean): CallOutcome {
  const { ok, ret, error } = objectOf(data);
  if (ok !== true) {
    const { code, message } = objectOf(error);
    return failed(`${textOf(code)}: ${textOf(message)}`);
  }
  const text = typeof ret === 'string' ? ret : JSON.stringify(ret ?? null);
  return {
    content: [{ type: 'text', text }],
    ...(isTyped && isObject(ret) ? { structuredContent: ret } : {}),
  };
}

function failed(text: string): CallOutcome {
  return { content: [{ type: 'text', text }], isError: true };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function returnsObject({ endpoint }: McpCaller, name: string): boolean {
  return endpoint.tools.find(({ id }) => id === name)?.returns?.['type'] === 'object';
}

async function toolResultIn(
  { parts, signal }: McpCaller,
  { row, turn, start }: BegunCall,
): Promise<Block | undefined> {
  let after = start.seq;
  for (;;) {
    const page = await parts.deps.store.read(row.key, { after, limit: pageBlocks, signal });
    const found = page.find((block) => block.turn === turn && block.type === 'react.tool.result');
    const last = page.at(-1);
    if (found || !last) return found;
    after = last.seq;
  }
}

/** Files that the turn made. */
function filesIn({ files }: JsonObject): readonly JsonObject[] {
  return Array.isArray(files) ? files.map(objectOf) : [];
}

/** A client reads them as resources. */
function linksTo(files: readonly JsonObject[], conversation: string): ContentBlock[] {
  return files.map(({ path, filename, mime, size }) => ({
    type: 'resource_link',
    uri: fileUri(textOf(path), conversation),
    name: textOf(filename),
    ...(typeof mime === 'string' ? { mimeType: mime } : {}),
    ...(typeof size === 'number' ? { size } : {}),
  }));
}
