import { DecisionReader } from '../../../../runtime/channels/decision/decision-reader.ts';
import { readingDecisions } from '../../../../runtime/channels/readers/read-decisions.ts';
import { type ReplyRules, readReply } from '../../../../runtime/channels/reply/read-reply.ts';
import {
  createReplyCollector,
  type ParsedReply,
} from '../../../../runtime/channels/reply/reply.ts';
import type { ToolFacts } from '../../../../runtime/channels/reply/rules.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';

const tools: Readonly<Record<string, ToolFacts>> = {
  'web.search': { traits: ['exploration'], kind: 'bundle' },
  'react.write': { traits: ['exploitation'], kind: 'control' },
  'react.plan': { traits: ['neutral'], kind: 'control' },
  'exec.python': { traits: ['exploitation'], kind: 'exec', language: 'python' },
  'crm.sync': { traits: ['exploration', 'exploitation'], kind: 'bundle' },
  'odd.tool': { traits: [], kind: 'bundle' },
};
export const thinking = '<channel:thinking>hm</channel:thinking>';
export const rules: ReplyRules = {
  multiAction: 'safe_fanout',
  actionsMax: 3,
  traitsOf: (tool) => tools[tool],
};

export function call(tool: string, params: object = {}): string {
  const body = { action: 'call_tool', notes: 'n', tool_call: { tool_id: tool, params } };
  return `<channel:action>${JSON.stringify(body)}</channel:action>`;
}

export function answer(text: string): string {
  const body = { action: 'complete', final_answer: text };
  return `<channel:action>${JSON.stringify(body)}</channel:action>`;
}

export function code(text: string): string {
  return `<channel:code>\n${text}\n</channel:code>`;
}

export function toPacket(output: string): ParsedReply {
  const scanner = createScanner();
  const collector = createReplyCollector();
  collector.push(readingDecisions()([...scanner.push(output), ...scanner.end()]));
  return collector.reply();
}

/** The text of one decision, read. */
export function written(text: string): DecisionReader {
  const reader = new DecisionReader();
  reader.push(text);
  return reader;
}

export function read(output: string, more: Partial<ReplyRules> = {}) {
  return readReply(toPacket(output), { ...rules, ...more });
}
