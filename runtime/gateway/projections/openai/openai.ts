import type { ProjectionKind } from '../projection.ts';
import { ChatChunks, type ChatOptions } from './chat-chunks.ts';

/** The stream of Chat Completions. */
export function chatStream(options: ChatOptions = {}): ProjectionKind {
  return {
    open: () => new ChatChunks(options),
    isResumable: false,
    last: { data: '[DONE]' },
  };
}

/** For watchers, who have sent no request. */
export const openai = chatStream({ usage: true, watches: true });
