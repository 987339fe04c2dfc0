import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { sourcesSection } from '../../../../runtime/timeline/render/sources-section.ts';
import { LogWriter } from '../logs/log-writer.ts';

// proves: timeline.sources-once

function viewWith(turns: number) {
  const log = new LogWriter();
  for (let sid = 1; sid <= turns; sid += 1) {
    const turn = toTurnId(`turn_${sid}`);
    const data = {
      sid,
      title: `Page ${sid}`,
      url: `https://a.test/${sid}?q=1`,
      text: 'long '.repeat(99),
    };
    log.append(
      { type: 'turn.open', turn, author: 'system', data: {} },
      { type: 'source.row', turn, author: 'tool', path: paths.source(sid), data },
      { type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } },
    );
  }
  return foldAll(emptyView, log.blocks);
}

test('sources in the timeline are only counted in the section', () => {
  const { text, tokens } = sourcesSection(viewWith(300));
  expect(text).toContain('SOURCES: numbers 1 to 300. Cite as [[S:n]];');
  expect(text).not.toContain('Page');
  expect(tokens).toBeLessThan(60);
});

test('the newest sources of pruned turns are listed again, with title and link', () => {
  const view = viewWith(40);
  const pruned = new Map(view.turns.slice(0, 30).map(({ id }) => [id, 'short'] as const));
  const hidden = new Map([[paths.source(30), 'not needed']]);
  const { text } = sourcesSection({ ...view, pruned, hidden });
  expect(text).toContain('[29] Page 29 | https://a.test/29?q=1\n');
  expect(text).toContain('not needed');
  expect(text).toContain('… 26 earlier, up to so:sources_pool[26]');
  expect(text).not.toMatch(/Page (26|31|40)\b/);
});

test('a source of a covered round is listed again', () => {
  const turn = toTurnId('turn_1');
  const log = new LogWriter();
  const found = (sid: number, number: number): readonly Draft[] => [
    { type: 'round.open', turn, author: 'system', data: { round: number, as_of: log.head } },
    {
      type: 'source.row',
      turn,
      author: 'tool',
      path: paths.source(sid),
      data: { sid, title: `Page ${sid}`, url: `https://a.test/${sid}` },
    },
    { type: 'round.close', turn, author: 'system', data: { round: number, outcome: 'acted' } },
  ];
  log.append({ type: 'turn.open', turn, author: 'system', data: {} });
  log.append(...found(1, 1));
  log.append(...found(2, 2));
  const view = foldAll(emptyView, log.blocks);
  const covered = new Map([[turn, { rounds: 1, text: 'Half is done.\n\n' }]]);
  const { text } = sourcesSection({ ...view, covered });
  expect(text).toContain('[1] Page 1 | https://a.test/1\n');
  expect(text).not.toContain('Page 2');
});

test('without sources there is no section', () => {
  expect(sourcesSection(emptyView)).toEqual({ text: '', tokens: 0 });
});
