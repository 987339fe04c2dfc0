import type { ChatEvent } from '../api/types.ts';

type Family = Parameters<typeof import('./family.ts').familyEvents>;

/** Few pages follow the agents of a conversation, so the others do not load the code. */
export async function* followFamily(...family: Family): AsyncGenerator<ChatEvent> {
  const { familyEvents } = await import('./family.ts');
  yield* familyEvents(...family);
}
