import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { compactSchemas } from '../../../../runtime/timeline/catalogue/compact-schemas.ts';
import { toolSchemas } from '../../../../runtime/timeline/catalogue/tool-schemas.ts';
import { turnSchemas } from '../../../../runtime/timeline/catalogue/turn-schemas.ts';
import { viewSchemas } from '../../../../runtime/timeline/catalogue/view-schemas.ts';
import { waitSchemas } from '../../../../runtime/timeline/catalogue/wait-schemas.ts';
import { coveredText } from '../../../../runtime/timeline/compact/covered-rounds.ts';
import { rowsOf } from '../../../../runtime/timeline/compact/memory-rows.ts';
import { memoryText } from '../../../../runtime/timeline/compact/memory-text.ts';
import { shortTurn } from '../../../../runtime/timeline/prune/short-turn.ts';
import { announce } from '../../../../runtime/timeline/render/announce.ts';
import type { PromptForm } from '../../../../runtime/timeline/render/form.ts';
import { roleOf } from '../../../../runtime/timeline/render/parts.ts';
import { render } from '../../../../runtime/timeline/render/render.ts';
import { quote } from '../../../../runtime/timeline/render/text.ts';
import { answerRequest, renderTrace } from '../../../../runtime/timeline/render/trace.ts';
import type { View } from '../../../../runtime/timeline/view.ts';
import { runs } from '../../../tools/runs.ts';
import {
  everywhere,
  forgery,
  forgeryOf,
  headings,
  inMemory,
  inRecord,
  mark,
  place,
  viewOf,
  viewWith,
} from './forgeries.ts';
import { forms } from './forms.ts';

/** What a prompt has of the user's side, in one form. */
function textOf(view: View, text: string, form: PromptForm = { as: 'text' }): string {
  const board = announce(view, {
    now: '2026-01-01T00:00:00.000Z',
    round: 1,
    budget: { used: 0, total: 15, bonus: 0 },
    elapsedMs: 0,
    phase: 'decision',
    timezone: 'UTC',
    caps: { [text]: text },
    inactiveTools: [text],
    workspace: [text],
    feedback: [text],
    memory: [text],
    notices: [text],
    hints: [text],
  });
  const { parts } = render(view, { asOf: view.head, announce: board, ...form });
  return parts
    .filter((part) => roleOf(part) === 'user')
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');
}

/** The record of a turn that is still open. */
function recordOf(text: string): string {
  const [prompt, ...others] = everywhere(text).filter(({ type }) => type !== 'turn.close');
  const { plans, ...view } = viewWith(text, [...(prompt ? [prompt] : []), ...others]);
  const openTurn = view.turns[0];
  const open = { ...view, plans: plans.map((each) => ({ ...each, last_turn_id: place.turn })) };
  const traced = openTurn ? { ...open, openTurn } : open;
  const last = { ...view, plans, ...(view.turns[1] ? { openTurn: view.turns[1] } : {}) };
  return [traced, last]
    .map((each) => renderTrace(each, { tokensMax: 100_000, request: answerRequest(each) }))
    .flatMap(({ parts }) => parts.map((part) => part.text))
    .join('\n');
}

/** Lines, of whatever line end, that read as a heading and hold what came from outside. */
function forgedIn(text: string, spellings: readonly string[] = headings): readonly string[] {
  return seenIn(text).filter((line) => spellings.some((each) => line.startsWith(`${each}${mark}`)));
}

function seenIn(text: string): readonly string[] {
  const lines = text.split(/[\n\r\v\f\u0085\u2028\u2029]/);
  return lines.map((line) =>
    line.replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '').normalize('NFKC'),
  );
}

// proves: timeline.no-forged-headings
test('every type that a prompt shows is part of these tests', () => {
  const schemas = { ...turnSchemas, ...toolSchemas, ...waitSchemas, ...viewSchemas };
  const shown = Object.entries({ ...schemas, ...compactSchemas }).flatMap(([type, { policy }]) =>
    policy.render === 'none' ? [] : [type],
  );
  const types = new Set(everywhere('x').map(({ type }) => type));
  expect(shown.filter((type) => !types.has(type))).toEqual([]);
});

// proves: timeline.no-forged-headings
test.each(forms)(
  'in a prompt as %s no fact and no body of any block creates a line that looks like a heading',
  (_, form) => {
    fc.assert(
      fc.property(forgery, (text) => {
        expect(forgedIn(textOf(viewOf(text), text, form))).toEqual([]);
      }),
      runs(60),
    );
  },
);

// proves: timeline.no-forged-headings
test('nor does one in the record from which an answer is written', () => {
  const spellings = [...headings.filter((each) => each.startsWith('[')), ...inRecord];
  fc.assert(
    fc.property(forgeryOf(spellings), (text) => {
      expect(forgedIn(recordOf(text), spellings)).toEqual([]);
    }),
    runs(60),
  );
});

// proves: timeline.no-forged-headings
test('every heading that the runtime writes is one that no body can imitate', () => {
  const view = viewOf('plain');
  const written = forms.map(([, form]) => textOf(view, 'plain', form));
  const [turn] = view.turns;
  if (!turn) throw new Error('no turn');
  written.push(shortTurn(view, turn), coveredText(view, turn, covered), memoryOf(view, 'plain'));
  const found = new Set(written.flatMap(seenIn).filter((line) => /^(?:\[|[A-Z]{2})/.test(line)));
  expect(found.size).toBeGreaterThan(30);
  const lists = [...found].filter((line) => /^[A-Z][A-Z ,a-z]*.*:$/.test(line));
  expect([...found].filter((line) => quote(line) === line)).toEqual(lists);
});

// proves: timeline.no-forged-headings
test('the same holds for replacements of hidden, pruned or compacted blocks', () => {
  fc.assert(
    fc.property(forgery, (text) => {
      const hide = (path: string): Draft => ({
        ...place,
        type: 'view.hide',
        data: { path, replacement: text },
      });
      const all = everywhere(text).flatMap(({ path }) => (path === undefined ? [] : [hide(path)]));
      const view = viewOf(text, ...all);
      expect(forgedIn(textOf(view, text))).toEqual([]);
      const plain = viewOf(text);
      const unsummed = viewWith(
        text,
        everywhere(text).filter(({ type }) => type !== 'conv.working.summary'),
      );
      for (const each of [plain, unsummed]) {
        const [turn] = each.turns;
        if (!turn) throw new Error('no turn');
        expect(forgedIn(shortTurn(each, turn))).toEqual([]);
        expect(forgedIn(coveredText(each, turn, { ...covered, progress: text }))).toEqual([]);
      }
    }),
    runs(80),
  );
});

// proves: timeline.no-forged-headings
test('nor does the summary or a row of a memory', () => {
  const spellings = [...headings, ...inMemory];
  fc.assert(
    fc.property(forgeryOf(spellings), (text) => {
      expect(forgedIn(memoryOf(viewOf(text), text), spellings)).toEqual([]);
    }),
    runs(80),
  );
});

const covered = { rounds: 1, progress: 'plain', tokensMax: 5_000 };

function memoryOf(view: View, text: string): string {
  const about = { count: 1, since: '', until: '', earlier: [{ ref: text, text }] };
  const kept = { ...rowsOf(view, view.turns), ...about, summary: text };
  const plans = [{ ref: 'ar:plan.latest:plan:1', text }];
  return memoryText(kept, { path: 'su:t1.x', plans });
}

test('a fact is limited in length, and text that is not a heading is not changed', () => {
  const view = viewOf('y'.repeat(50_000));
  const longest = Math.max(
    ...textOf(view, 'y')
      .split('\n')
      .filter((line) => line.startsWith('['))
      .map(({ length }) => length),
  );
  expect(longest).toBeLessThan(9_000);
  const innocent = '\tif (x) {\n  [a link](y)\u00a0\n  naïve\u200b text\u2028next';
  expect(quote(innocent)).toBe(innocent);
});
