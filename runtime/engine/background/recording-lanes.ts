import { recordingLanes } from '../limits.ts';

/** Ids of the jobs that record turns. */
export const recordingJobs: readonly string[] = Array.from(
  { length: recordingLanes },
  (_, index) => `record-turns-${index + 1}`,
);

/** Recordings of one conversation are in one lane, so that they do not overtake each other. */
export function laneOf(conversation: string): string {
  const sum = [...conversation].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return recordingJobs[sum % recordingJobs.length] ?? '';
}

/** -1: the turn is known to be closed. */
export function recordingKey(turn: string, tries: number): string {
  return tries < 0 ? `${turn}.closed` : `${turn}.${tries}`;
}
