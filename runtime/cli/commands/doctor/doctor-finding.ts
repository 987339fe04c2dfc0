import { isFault } from '../../../base/fault.ts';
import { isRefusal } from '../../../base/refusal.ts';

/** One line in the output of `timeloom doctor`. */
export type Finding = { readonly what: string; readonly ok: boolean; readonly says: string };

export function toLine({ what, ok, says }: Finding): string {
  return `${ok ? '✓' : '✗'} ${what.padEnd(10)} ${says}\n`;
}

/** Runs a check and returns its message, or the error message with a fix. */
export async function runCheck(
  what: string,
  check: () => Promise<string>,
  fix = '',
): Promise<Finding> {
  try {
    return { what, ok: true, says: await check() };
  } catch (error) {
    if (!isFault(error) && !isRefusal(error)) throw error;
    return { what, ok: false, says: `${error.message}${fix}` };
  }
}
