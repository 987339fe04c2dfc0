import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const pollMs = 100;

/** `npm test` prepares the machine beside the fast tests. The file holds the exit code once that has ended. */
const file = process.env['TIMELOOM_TEST_MACHINE'];
if (file !== undefined) {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await setTimeout(pollMs);
  if (readFileSync(file, 'utf8') !== '0') throw new Error('the machine could not be prepared');
}
