import { expect, test } from 'vitest';
import { openLog } from '../../../../runtime/adapters/system/log.ts';
import { Fault } from '../../../../runtime/base/fault.ts';

function logged(level: 'debug' | 'info') {
  const lines: unknown[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: openLog({ level, to }), lines };
}

test('a line is one JSON object with its level, time, facts and message', () => {
  const { log, lines } = logged('info');
  log.with({ turn: 'turn_1' }).info('turn closed', { rounds: 2 });
  log.debug('not logged');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 'info',
    turn: 'turn_1',
    rounds: 2,
    msg: 'turn closed',
  });
  expect(JSON.stringify(lines[0])).toMatch(/"time":"\d{4}-[^"]+Z"/);
});

test('an error is logged with its code, detail and cause, without the other fields that drivers hang on it', () => {
  const { log, lines } = logged('debug');
  const driver = Object.assign(new Error('refused'), { code: '42601', parameters: ['secret'] });
  log.error('append failed', {
    error: new Fault('STORE_UNAVAILABLE', { key: 5 }, { cause: driver }),
  });
  expect(lines[0]).toMatchObject({
    level: 'error',
    error: {
      name: 'Fault',
      code: 'STORE_UNAVAILABLE',
      detail: { key: 5 },
      cause: { message: 'refused', code: '42601' },
    },
  });
  expect(JSON.stringify(lines)).not.toContain('secret');
});
