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
