import type { Block } from '../../timeline/block.ts';
import type { SpokenMessage } from '../../tools/ports/long-term-memory.ts';
import { recordingCharsMax } from '../limits.ts';

/** What the user and the agent said in a turn, in order; the beginning of each message if there is too much. */
export function messagesOf(blocks: readonly Block[]): readonly SpokenMessage[] {
  const recalled = new Set(
    blocks.filter(({ type }) => type === 'external.recall').map(({ path }) => path),
  );
  const said = blocks
    .filter(({ path }) => path === undefined || !recalled.has(path))
    .flatMap(({ type, text = '' }): readonly SpokenMessage[] => {
      const role = roles[type];
      return role && text.trim() !== '' ? [{ role, text }] : [];
    });
  // Without a message of the user there is nothing to learn about the user.
  if (!said.some(({ role }) => role === 'user')) return [];
  const most = Math.floor(recordingCharsMax / Math.max(1, said.length));
  return said.map(({ role, text }) => ({ role, text: text.slice(0, most).toWellFormed() }));
}

const roles: Readonly<Record<string, SpokenMessage['role']>> = {
  'user.prompt': 'user',
  'external.followup': 'user',
  'external.steer': 'user',
  'assistant.completion': 'assistant',
};
