import { expect, test } from 'vitest';
import {
  langgraph,
  streamModes,
} from '../../../../runtime/gateway/projections/langgraph/langgraph.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

const { open } = langgraph({ modes: [...streamModes] });

// proves: endpoints.langgraph
test('every turn of the corpus has its recorded frames', () => expectGolden('langgraph', open));

// proves: endpoints.langgraph
test.each(Object.keys(corpus))(
  '%s: begins with metadata, ends once, and values end with the answer',
  (name) => {
    const frames = framesOf(open, name);
    const events = frames.map(({ event }) => event);
    expect(events[0]).toBe('metadata');
    expect(events.filter((event) => event === 'end')).toHaveLength(1);
    expect(events.at(-1)).toBe('end');
    const ids = frames
      .filter(({ event }) => event === 'values')
      .map(({ data }) => (JSON.parse(data) as { messages: { id: string }[] }).messages)
      .map((messages) => messages.map(({ id }) => id));
    for (const each of ids) expect(new Set(each).size).toBe(each.length);
  },
);
