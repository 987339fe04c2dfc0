import { expect, test } from 'vitest';
import { fim } from '../../../../runtime/gateway/projections/fim/fim.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

const names = Object.keys(corpus);

// proves: endpoints.fim
test('every turn of the corpus has its recorded frames', () => expectGolden('fim', fim.open));

// proves: endpoints.fim
test.each(names)(
  '%s: thinking is done before tools and answers, and one done ends the turn',
  (name) => {
    const frames = framesOf(fim.open, name).map(({ event = '', data }) => ({
      event,
      ...(JSON.parse(data) as { type?: string; status?: string }),
    }));
    let isThinking = false;
    for (const { event, type, status } of frames) {
      if (event === 'step' && type === 'thinking') isThinking = status === 'start';
      const acts =
        event === 'answer' || type === 'iteration' || (type === 'answer' && event === 'step');
      expect(acts && isThinking).toBe(false);
    }
    expect(isThinking).toBe(false);
    expect(frames.filter(({ event }) => event === 'done')).toHaveLength(1);
    expect(frames.at(-1)?.event).toBe('done');
  },
);

type Row = { readonly channel: string; readonly fields: readonly string[] };

/** The events of FIM One's own table: channel, what tells the row apart, and its payload. */
const table: readonly (Row & {
  readonly name: string;
  readonly is: Readonly<Record<string, unknown>>;
})[] = [
  {
    name: 'thinking start',
    channel: 'step',
    is: { type: 'thinking', status: 'start' },
    fields: ['iteration'],
  },
  {
    name: 'thinking done',
    channel: 'step',
    is: { type: 'thinking', status: 'done' },
    fields: ['iteration', 'reasoning'],
  },
  {
    name: 'iteration start',
    channel: 'step',
    is: { type: 'iteration', status: 'start' },
    fields: ['iteration', 'tool_name', 'tool_args'],
  },
  {
    name: 'iteration done',
    channel: 'step',
    is: { type: 'iteration', status: 'done' },
    fields: ['iteration', 'tool_name', 'observation', 'error', 'iter_elapsed'],
  },
  { name: 'answer signal', channel: 'step', is: { type: 'answer', status: 'start' }, fields: [] },
  { name: 'answer start', channel: 'answer', is: { status: 'start' }, fields: [] },
  { name: 'answer delta', channel: 'answer', is: { status: 'delta' }, fields: ['content'] },
  { name: 'answer done', channel: 'answer', is: { status: 'done' }, fields: [] },
  { name: 'compact', channel: 'compact', is: {}, fields: ['original_messages', 'kept_messages'] },
  { name: 'phase', channel: 'phase', is: { phase: 'selecting_tools' }, fields: ['total_tools'] },
  { name: 'inject', channel: 'inject', is: { type: 'inject' }, fields: ['content'] },
  { name: 'done', channel: 'done', is: {}, fields: ['answer', 'iterations', 'usage', 'elapsed'] },
];

/** Fields that this server adds to a row. */
const added = [
  'tool_call_id',
  'original_tokens',
  'kept_tokens',
  'reason',
  'error',
  'request',
  'title',
  'tool_args',
];

// proves: endpoints.fim
test.each(table)(
  '$name: every such event of the corpus has the fields of its row',
  ({ channel, is, fields }) => {
    const rows = names.flatMap((name) =>
      framesOf(fim.open, name).flatMap(({ event, data }) => {
        const payload = JSON.parse(data) as Record<string, unknown>;
        const isRow =
          event === channel && Object.entries(is).every(([key, value]) => payload[key] === value);
        return isRow ? [payload] : [];
      }),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const own = [...Object.keys(is), ...fields];
      expect(Object.keys(row)).toEqual(expect.arrayContaining(own));
      expect(Object.keys(row).filter((key) => !own.includes(key) && !added.includes(key))).toEqual(
        [],
      );
    }
  },
);

// proves: endpoints.fim
test('no event is outside the table, but for a confirmation, which its page knows as well', () => {
  const known = new Set(
    table.map(({ channel, is }) => `${channel} ${String(is['type'])} ${String(is['status'])}`),
  );
  const others = names.flatMap((name) =>
    framesOf(fim.open, name).flatMap(({ event, data }) => {
      const { type, status } = JSON.parse(data) as Record<string, unknown>;
      const key = `${event ?? ''} ${String(type)} ${String(status)}`;
      return known.has(key) ? [] : [key];
    }),
  );
  expect([...new Set(others)]).toEqual(['step iteration awaiting_confirmation']);
});
