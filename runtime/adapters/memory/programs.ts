import type { CallId } from '../../timeline/ids.ts';
import type { JournalUpdate, ProgramCall } from '../../timeline/ports/store.ts';
import type { Conversation } from './conversation.ts';

/** Records what the owner reports about a program's calls; false if it may not. */
export function recordProgramCalls(
  conversation: Conversation | undefined,
  said: JournalUpdate,
): boolean {
  const { fence, program, begun, ended } = said;
  if (conversation?.fence !== fence || conversation.leasedUntilMs === undefined) return false;
  const { programs, answeredCalls } = conversation;
  if (answeredCalls.has(program)) return false;
  const calls = programs.get(program) ?? new Map<string, ProgramCall>();
  programs.set(program, calls);
  for (const { id, outcome } of ended) {
    const call = calls.get(id);
    if (call) calls.set(id, { ...call, outcome });
  }
  for (const call of begun) if (!calls.has(call.id)) calls.set(call.id, call);
  return true;
}

export function programCallsIn(
  conversation: Conversation | undefined,
  program: CallId,
): readonly ProgramCall[] {
  return [...(conversation?.programs.get(program)?.values() ?? [])];
}
