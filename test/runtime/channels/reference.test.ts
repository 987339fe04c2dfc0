import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declaredChannels, scanNoticeCodes } from '../../../runtime/channels/protocol/channel.ts';
import { violationCodes } from '../../../runtime/channels/protocol/violation.ts';
import { repairTexts } from '../../../runtime/channels/reply/decision.ts';
import { readingNotices } from '../../../runtime/channels/reply/read-reply.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/channels.md'), 'utf8');

/** The first column of each table row under a heading. */
function rows(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1] ?? '');
}

test('the reference page lists every violation, notice and channel, and no other', () => {
  expect(rows('Violations')).toEqual([...violationCodes]);
  const notices = [...scanNoticeCodes, ...Object.keys(repairTexts), ...Object.keys(readingNotices)];
  expect(rows('Notices')).toEqual(notices);
  expect(rows('Names')).toEqual(declaredChannels.map(({ name }) => name));
});
