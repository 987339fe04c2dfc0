import { Cron } from 'croner';
import type { BundleJob } from '../../contract/runtime-bundle.ts';

export type Schedule = NonNullable<BundleJob['schedule']>;

/** Five fields of cron in a time zone, UTC unless told; a sentence, where they are none. */
export function parseSchedule(
  pattern: string,
  timezone = 'UTC',
): { readonly schedule: Schedule } | { readonly because: string } {
  const fields = String(pattern).trim().split(/\s+/);
  if (fields.length !== 5)
    return { because: `its schedule “${pattern}” is not five fields of cron` };
  if (!isTimezone(timezone)) return { because: `there is no time zone “${timezone}”` };
  try {
    return { schedule: scheduleOf(fields.join(' '), timezone) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { because: `its schedule “${pattern}” is no cron: ${said}` };
  }
}

function scheduleOf(pattern: string, timezone: string): Schedule {
  // Paused: it only tells times. The runner waits for them, and the store says what the time is.
  const cron = new Cron(pattern, { timezone, paused: true, mode: '5-part' });
  const next = (afterMs: number): number => {
    const tick = cron.nextRun(new Date(afterMs));
    if (tick === null) throw new Error('there is no such day');
    return tick.getTime();
  };
  next(0);
  return { key: `${pattern} ${timezone}`, next };
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
