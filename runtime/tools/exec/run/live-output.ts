import type { ExecEvent } from '../../ports/sandbox.ts';
import type { CallContext } from '../../ports/tool.ts';
import { outputPieceChars } from '../limits.ts';

/** Live events of a running program: `chat.exec.status`, `chat.exec.output`, `chat.exec.call`. */
export function showLive(
  event: Exclude<ExecEvent, { kind: 'done' }>,
  { services, call }: CallContext,
): void {
  switch (event.kind) {
    case 'ready':
      services.emit('chat.exec.status', { call, status: 'running', backend: event.backend });
      return;
    case 'tool_called':
      services.emit('chat.exec.call', { call, id: event.id, tool: event.tool, status: 'started' });
      return;
    case 'tool_finished':
      services.emit('chat.exec.call', { call, id: event.id, status: event.ok ? 'ok' : 'failed' });
      return;
    case 'output':
      for (let at = 0; at < event.text.length; at += outputPieceChars) {
        const text = event.text.slice(at, at + outputPieceChars);
        services.emit('chat.exec.output', { call, stream: event.stream, text });
      }
  }
}
