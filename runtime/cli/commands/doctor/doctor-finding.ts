import { isFault } from '../../../base/fault.ts';
import { isRefusal } from '../../../base/refusal.ts';

/** One line of what `timeloom doctor` tells. */
export type Finding = { readonly what: string; readonly ok: boolean; readonly says: string };

/** What a check says; where it fails, what the failure says, and what to do about it. */
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
