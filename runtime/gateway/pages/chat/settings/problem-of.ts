import { isRefusal } from '../../../../base/refusal.ts';

/** What failed and why: the server's words, or that it cannot be reached. */
export function problemOf(failed: string, error: unknown): string {
  if (!isRefusal(error)) return `${failed}: the server cannot be reached. Try again.`;
  return `${failed}: ${error.message.replace(/\.$/, '')}.`;
}
