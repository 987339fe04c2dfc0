import { expect, test } from 'vitest';
import {
  extractHistory,
  extractProgress,
  roundsSaid,
} from '../../../../runtime/timeline/compact/extract.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { shortNames } from '../../../../runtime/timeline/short-names.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';
import type { RoundView } from '../../../../runtime/timeline/view.ts';
import { LogWriter } from '../logs/log-writer.ts';

const written =
  'Open after round 4:\nLamp 9 is not lit.\nLearned:\nThe mast is 12.5 m high.\nDone:\nLamps 1 to 8.';

/** Rounds of one turn; each said what it looked at. */
function roundsOf(count: number): readonly RoundView[] {
  const log = new LogWriter();
  const turn = toTurnId('turn_1');
  log.append({ type: 'turn.open', turn, author: 'system', data: {} });
  for (let round = 1; round <= count; round += 1) {
    const data = { round, as_of: log.head, phase: 'decision' };
    log.append(
      { type: 'round.open', turn, author: 'system', data },
      { type: 'react.notes', turn, author: 'agent', text: `I look at lamp ${round}`, data: {} },
      { type: 'round.close', turn, author: 'system', data: { round, outcome: 'acted' } },
    );
  }
  return foldAll(emptyView, log.blocks).turns[0]?.rounds ?? [];
}

// proves: compact.continues
test('an extract of rounds continues the summary of a model and loses its end first', () => {
  const rounds = roundsOf(8);
  const whole = extractProgress(rounds.slice(4), { before: written, tokensMax: 400 });
  expect(whole.startsWith(`${written}\nRound 5 said: I look at lamp 5\n`)).toBe(true);
  expect([...roundsSaid(whole)]).toEqual([5, 6, 7, 8]);
  const short = extractProgress(rounds.slice(4), { before: written, tokensMax: 45 });
  expect(short).toContain('Lamp 9 is not lit.');
  expect(short).toContain('Round 8 said: ');
  expect(short).not.toContain('Lamps 1 to 8.');
  expect(extractProgress([], { before: written, tokensMax: 400 })).toBe(written);
});

// proves: compact.continues
test('extracts that continue extracts keep what a model wrote and the newest rounds, within their limit', () => {
  const rounds = roundsOf(120);
  let text = written;
  for (let from = 0; from < rounds.length; from += 10) {
    text = extractProgress(rounds.slice(from, from + 10), { before: text, tokensMax: 200 });
    expect(countTokens(text)).toBeLessThan(240);
  }
  expect(text.startsWith('Open after round 4:\nLamp 9 is not lit.\n')).toBe(true);
  const said = [...roundsSaid(text)];
  expect(said.at(-1)).toBe(120);
  expect(said).toEqual(said.map((_, n) => 120 - said.length + 1 + n));
});

// proves: compact.continues
test('an extract of turns keeps what was open before it', () => {
  const log = new LogWriter();
  for (let n = 1; n <= 12; n += 1) {
    const turn = toTurnId(`turn_${n}`);
    log.append(
      { type: 'turn.open', turn, author: 'system', data: {} },
      {
        ...{ type: 'user.prompt', turn, author: 'user', path: paths.prompt(turn) },
        text: `Light lamp ${n}.`,
      },
      { type: 'turn.close', turn, author: 'system', data: { reason: 'completed' } },
    );
  }
  const view = foldAll(emptyView, log.blocks);
  const names = shortNames(view);
  let text = written;
  for (const turn of view.turns) {
    text = extractHistory([turn], { before: text, tokensMax: 150, names });
  }
  expect(text.startsWith('Open after round 4:\nLamp 9 is not lit.\n')).toBe(true);
  expect(text).toMatch(/\nt12, \d\d:\d\d:\nAsked: Light lamp 12\./);
  expect(text).not.toContain('Light lamp 1.');
});
