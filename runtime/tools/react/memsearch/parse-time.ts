const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const unitMs: Readonly<Record<string, number>> = {
  minute: minuteMs,
  hour: 60 * minuteMs,
  day: dayMs,
  week: 7 * dayMs,
};
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const datesMax = 8.64e15;

/**
 * The instant of a date or relative expression, relative to `now` (both ISO 8601). A day, week (from Monday), month or
 * year means its beginning, in UTC. Undefined if the text is not a time.
 */
export function parseTime(text: string, now: string): string | undefined {
  const word = text.trim().toLowerCase();
  const ms = isoMs(text.trim()) ?? relativeMs(word, Date.parse(now));
  return ms === undefined || !(Math.abs(ms) <= datesMax) ? undefined : new Date(ms).toISOString();
}

/** UTC if no zone is given, whatever the local time zone. */
function isoMs(text: string): number | undefined {
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(
      text,
    ) ?? [];
  if (date === undefined) return undefined;
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return isDate(date) && !Number.isNaN(ms) ? ms : undefined;
}

/** Rejects days that the month does not have, which Date.parse would move into the next month. */
function isDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

function relativeMs(word: string, nowMs: number): number | undefined {
  const today = startOf('day', nowMs);
  const named: Readonly<Record<string, number>> = {
    now: nowMs,
    today,
    yesterday: today - dayMs,
    tomorrow: today + dayMs,
  };
  return named[word] ?? agoMs(word, nowMs) ?? calendarMs(word, nowMs) ?? weekdayMs(word, today);
}

function agoMs(word: string, nowMs: number): number | undefined {
  const [, count, unit = ''] =
    /^(\d{1,6}|an?|one|two|three)\s*(minute|min|m|hour|h|day|d|week|w|month|mo|year|y)s?(?:\s+ago)?$/.exec(
      word,
    ) ?? [];
  if (count === undefined) return undefined;
  const n = Number(counts[count] ?? count);
  const name = units[unit] ?? unit;
  const each = unitMs[name];
  return each === undefined ? monthsBefore(nowMs, name === 'year' ? 12 * n : n) : nowMs - n * each;
}

const counts: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3 };
const units: Readonly<Record<string, string>> = {
  min: 'minute',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
};

/** The same day of an earlier month, or the last day of that month. */
function monthsBefore(ms: number, months: number): number {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

function calendarMs(word: string, nowMs: number): number | undefined {
  const [, which, unit] = /^(this|last)\s+(week|month|year)$/.exec(word) ?? [];
  if (unit === undefined) return undefined;
  const start = startOf(unit, nowMs);
  return which === 'this' ? start : startOf(unit, start - 1);
}

function startOf(unit: string, ms: number): number {
  const date = new Date(ms);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === 'year') return Date.UTC(year, 0, 1);
  if (unit === 'month') return Date.UTC(year, month, 1);
  const midnight = Date.UTC(year, month, day);
  return unit === 'week' ? midnight - ((date.getUTCDay() + 6) % 7) * dayMs : midnight;
}

/** The most recent such weekday before today. */
function weekdayMs(word: string, today: number): number | undefined {
  const wanted = weekdays.indexOf(word.replace(/^last\s+/, ''));
  if (wanted < 0) return undefined;
  const back = (new Date(today).getUTCDay() - wanted + 7) % 7;
  return today - (back === 0 ? 7 : back) * dayMs;
}
