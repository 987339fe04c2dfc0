import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import { createTwoFilesPatch } from 'diff';
import { isJsonObject, isPlainJson, type Json, type JsonObject } from '../../../base/json.ts';
import { agentPaths } from '../../../engine/ports/agent-sandbox.ts';
import type { ResultPart } from '../../../engine/ports/external-agent.ts';
import { diffCharsMax, outputValuesMax, terminalCharsMax } from './limits.ts';

type ContentBlock = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' }>['content'];

/** The text of a content block; other kinds are named. */
export function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return block.uri;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : block.resource.uri;
    default:
      return `[${block.type}]`;
  }
}

/** The parts of a result. Terminals belong to clients that run commands, which this one does not. */
export function toParts(content: readonly ToolCallContent[] | null | undefined): ResultPart[] {
  return (content ?? []).flatMap((part): ResultPart[] => {
    if (part.type === 'content') return [{ type: 'text', text: textOf(part.content) }];
    if (part.type === 'diff') {
      const path = inWorkspace(part.path);
      return [{ type: 'diff', path, diff: diffOf(path, part.oldText ?? '', part.newText) }];
    }
    return [];
  });
}

/**
 * Output of a command that a program reports beside the protocol's own content: each `_meta.terminal_output` is what has been
 * added, and `_meta.terminal_exit` how the command has ended.
 */
export function addTerminal(
  before: TerminalPart | undefined,
  meta: unknown,
): TerminalPart | undefined {
  const { terminal_output: output, terminal_exit: exit } = isJsonObject(meta) ? meta : {};
  const data = isJsonObject(output) ? output['data'] : undefined;
  const code = isJsonObject(exit) ? exit['exit_code'] : undefined;
  if (typeof data !== 'string' && typeof code !== 'number') return before;
  const text = `${before?.output ?? ''}${typeof data === 'string' ? data : ''}`;
  return {
    ...{ ...before, type: 'terminal', output: text.slice(0, terminalCharsMax) },
    ...(typeof code === 'number' ? { exit_code: code } : {}),
  };
}

export type TerminalPart = Extract<ResultPart, { type: 'terminal' }>;

/** Relative to the workspace, if it is inside. */
export function inWorkspace(path: string): string {
  const start = `${agentPaths.workspace}/`;
  return path.startsWith(start) ? path.slice(start.length) : path;
}

function diffOf(path: string, before: string, after: string): string {
  if (before.length + after.length > diffCharsMax)
    return `${path}: ${before.length} characters before, ${after.length} after`;
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 3 });
}

/** A value of the program as JSON; undefined if it is not, or too large. */
export function toJson(value: unknown): Json | undefined {
  return isPlainJson(value, outputValuesMax) ? value : undefined;
}

export function toInput(value: unknown): JsonObject {
  const json = toJson(value);
  if (isJsonObject(json)) return json;
  return json === undefined || json === null ? {} : { value: json };
}
