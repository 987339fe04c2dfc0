import { Cron } from 'croner';
import type { BundleJob } from '../../contract/runtime-bundle.ts';

export type Schedule = NonNullable<BundleJob['schedule']>;

/** Parses a cron expression with five fields in a time zone (default: UTC). Returns a sentence if it is not valid. */
export function parseSchedule(
  pattern: string,
  timezone = 'UTC',
): { readonly schedule: Schedule } | { readonly because: string } {
  const fields = String(pattern).trim().split(/\s+/);
  if (fields.length !== 5)
    return { because: `its schedule “${pattern}” is not a cron expression with five fields` };
  if (!isTimezone(timezone)) return { because: `unknown time zone “${timezone}”` };
  try {
    return { schedule: scheduleOf(fields.join(' '), timezone) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { because: `its schedule “${pattern}” is not a valid cron expression: ${said}` };
  }
}

function scheduleOf(pattern: string, timezone: string): Schedule {
  // Paused: it only computes times. The runner waits for them, and the store provides the current time.
  const cron = new Cron(pattern, { timezone, paused: true, mode: '5-part' });
  const next = (afterMs: number): number => {
    const tick = cron.nextRun(new Date(afterMs));
    if (tick === null) throw new Error('the day does not exist');
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
