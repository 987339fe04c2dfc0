import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { objectOf, textOf } from '../feed/wire-json.ts';

/** What a client shows while it waits for the result of a call. */
export type CallProgress = { readonly progress: number; readonly message: string };

/** Of the protocol, by severity. The words of a call use the first five. */
export const logLevels = [
  ...(['debug', 'info', 'notice', 'warning', 'error'] as const),
  ...(['critical', 'alert', 'emergency'] as const),
];
export type LogLevel = (typeof logLevels)[number];

/** The same news as a line of a log. Undefined: its level is below the one that the client wants. */
export function logLine(
  { type, data = {} }: WireEnvelope,
  { message }: CallProgress,
  least: LogLevel,
): { level: LogLevel; logger: string; data: string } | undefined {
  const level = levelOf(type, data);
  if (logLevels.indexOf(level) < logLevels.indexOf(least)) return undefined;
  return { level, logger: textOf(data['tool']) || 'turn', data: message };
}

function levelOf(type: string, data: NonNullable<WireEnvelope['data']>): LogLevel {
  if (type === 'chat.approval') return 'notice';
  if (type !== 'chat.tool') return 'info';
  return objectOf(data['result'])['ok'] === false ? 'error' : 'debug';
}

/**
 * A turn in the words of MCP: progress while it works. The result is read from the log. `progress` grows with every
 * notification, also after a client has connected again with the number that it saw last.
 */
export class McpProgress {
  #progress: number;

  constructor(seen = 0) {
    this.#progress = seen;
  }

  take(envelope: WireEnvelope): CallProgress | undefined {
    const message = messageOf(envelope);
    if (message === undefined) return undefined;
    this.#progress += 1;
    return { progress: this.#progress, message };
  }
}

function messageOf({ type, data = {} }: WireEnvelope): string | undefined {
  switch (type) {
    case 'chat.tool':
      return toolMessage(textOf(data['tool']), textOf(data['state']), objectOf(data['result']));
    case 'chat.tool.progress':
      return textOf(data['text']) || undefined;
    case 'chat.approval':
      return `${textOf(data['tool'])} waits for approval: ${textOf(data['title'])}`;
    case 'chat.compaction':
      return `the conversation ${typeof data['after_tokens'] === 'number' ? 'has been' : 'is being'} shortened`;
    case 'timeline_text':
      return textOf(data['text']) || undefined;
    default:
      return undefined;
  }
}

function toolMessage(
  tool: string,
  state: string,
  result: Readonly<Record<string, unknown>>,
): string {
  if (state === 'running') return `calling ${tool}`;
  if (state !== 'done') return `${tool} waits`;
  return result['ok'] === false ? `${tool} failed` : `${tool} has finished`;
}
