import { expect, test } from 'vitest';
import { workspaceRows } from '../../../../runtime/engine/perform/ask/workspace-text.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import type { MemoryContents, View } from '../../../../runtime/timeline/view.ts';
import { LogWriter } from '../../timeline/logs/log-writer.ts';

const kept: MemoryContents = {
  summary: '',
  count: 1,
  since: '',
  until: '',
  turns: [],
  events: [],
  notes: [],
  files: [],
  skills: [],
  results: [],
  earlier: [],
};

/** A turn with one file of its own, after a memory that names other files. */
function viewWith(refs: readonly string[], pulled: readonly string[] = [], marks = ''): View {
  const log = new LogWriter();
  const [turn, author] = [toTurnId('turn_9'), 'agent' as const];
  const data = { filename: 'now.md', size: 1, visibility: 'external' };
  log.append(
    { type: 'turn.open', turn, author: 'system', data: {} },
    {
      type: 'artifact.file',
      turn,
      author,
      path: paths.file(turn, 'outputs/now.md'),
      data,
    },
  );
  const files = refs.map((ref) => ({ ref, text: ref.includes('.csv') ? '1 B' : marks }));
  const memory = { path: '', seq: toSeq(1), text: '', kept: { ...kept, files } };
  const view = {
    ...foldAll(emptyView, log.blocks),
    memory,
    pulled: new Set(pulled.map(toBlockPath)),
  };
  return { ...view, earlierTurns: [toTurnId('turn_1')] };
}

const sent = paths.attachment(toTurnId('turn_1'), 'data.csv');
const shown = (path: string) => path.replace('turn_1', 't1');
const made = Array.from({ length: 30 }, (_, n) =>
  paths.file(toTurnId('turn_1'), `outputs/${n}.md`),
);

test('files of compacted turns are still listed: those the user sent and the newest others', () => {
  const rows = workspaceRows(viewWith([sent, ...made, 'ar:turn_1.canvas.board']));
  expect(rows[0]).toBe(`${shown(sent)} (earlier turn)`);
  expect(rows).toContain(`${shown(made.at(-1) ?? '')} (earlier turn; the user has it)`);
  expect(rows.join()).not.toContain('canvas');
  expect(rows.at(-1)).toBe('fi:t2.outputs/now.md (the user has it)');
  expect(rows.length).toBeLessThan(16);
});

test('pulled files are always listed, each once', () => {
  const first = made[0] ?? '';
  const rows = workspaceRows(viewWith([sent, ...made], [sent, first]));
  const both = [`${shown(sent)} (pulled)`, `${shown(first)} (pulled; the user has it)`];
  expect(rows.slice(0, 2)).toEqual(both);
  expect(rows.filter((row) => row.startsWith(shown(sent)))).toHaveLength(1);
  const all = workspaceRows(viewWith([], made));
  expect(all.length).toBeLessThan(20);
  expect(all[0]).toMatch(/^18 more \(pulled\)/);
});

// proves: steer.files
test('files of earlier turns that the user does not have are only said to be from there', () => {
  const rows = workspaceRows(
    viewWith([sent, ...made.slice(0, 1)], [], 'text/plain | 1 B | internal'),
  );
  expect(rows.slice(0, 2)).toEqual([
    `${shown(sent)} (earlier turn)`,
    `${shown(made[0] ?? '')} (earlier turn)`,
  ]);
});

// proves: steer.files
test('a file says that the user has it from its delivery on, also in later turns', () => {
  const log = new LogWriter();
  const turns = [toTurnId('turn_1'), toTurnId('turn_2')] as const;
  const file = (name: string, visibility: string) =>
    log.append({
      ...{ type: 'artifact.file', turn: turns[0], author: 'agent' },
      path: paths.file(turns[0], `outputs/${name}`),
      data: { filename: name, size: 1, visibility },
    });
  const open = (turn: (typeof turns)[number]) =>
    log.append({ type: 'turn.open', turn, author: 'system', data: {} });
  const rows = () => workspaceRows(foldAll(emptyView, log.blocks));
  open(turns[0]);
  file('a.md', 'internal');
  file('b.md', 'internal');
  file('a.md', 'external');
  expect(rows()).toEqual(['fi:t1.outputs/a.md (the user has it)', 'fi:t1.outputs/b.md']);
  const data = { reason: 'completed' };
  log.append({ type: 'turn.close', turn: turns[0], author: 'system', data });
  open(turns[1]);
  expect(rows()).toEqual([
    'fi:t1.outputs/a.md (earlier turn; the user has it)',
    'fi:t1.outputs/b.md (earlier turn)',
  ]);
});

// proves: steer.files
test('a file that was delivered before the last steer says that it is from before', () => {
  const log = new LogWriter();
  const turn = toTurnId('turn_1');
  const round = (number: number, ...names: readonly string[]) => {
    const asOf = log.head;
    log.append({
      type: 'round.open',
      turn,
      author: 'system',
      data: { round: number, as_of: asOf },
    });
    return names.map((name) => ({
      ...{ type: 'artifact.file', turn, author: 'agent' as const },
      path: paths.file(turn, `outputs/${name}`),
      data: { filename: name, size: 1, visibility: name === 'c.md' ? 'internal' : 'external' },
    }));
  };
  const close = (number: number) =>
    log.append({
      ...{ type: 'round.close', turn, author: 'system' },
      data: { round: number, outcome: 'acted' },
    });
  log.append({ type: 'turn.open', turn, author: 'system', data: {} });
  log.append(...round(1, 'a.md', 'b.md', 'c.md'));
  close(1);
  const drafts = round(2, 'd.md');
  log.append({
    ...{ type: 'external.steer', turn, author: 'user', text: 'Only b.' },
    path: toBlockPath(`ar:${turn}.external.steer.msg_1`),
  });
  log.append(...drafts);
  close(2);
  const rows = () => workspaceRows(foldAll(emptyView, log.blocks));
  const mark = '(from before the steer; the user has it)';
  expect(rows()).toEqual([
    `fi:t1.outputs/a.md ${mark}`,
    `fi:t1.outputs/b.md ${mark}`,
    'fi:t1.outputs/c.md',
    `fi:t1.outputs/d.md ${mark}`,
  ]);
  log.append(...round(3, 'b.md', 'e.md'));
  close(3);
  expect(rows().slice(1)).toEqual([
    'fi:t1.outputs/b.md (the user has it)',
    'fi:t1.outputs/c.md',
    `fi:t1.outputs/d.md ${mark}`,
    'fi:t1.outputs/e.md (the user has it)',
  ]);
});
