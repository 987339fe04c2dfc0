import { expect, test } from 'vitest';
import { Listeners } from '../../../runtime/base/listeners.ts';

test('listeners of a key are called in the order in which they were added', () => {
  const listeners = new Listeners<string, number>();
  const heard: string[] = [];
  listeners.add('a', (value) => heard.push(`first ${value}`));
  listeners.add('a', (value) => heard.push(`second ${value}`));
  listeners.add('b', (value) => heard.push(`other ${value}`));
  listeners.notify('a', 1);
  listeners.notify('c', 2);
  expect(heard).toEqual(['first 1', 'second 1']);
});

test('the same function may be added twice, and each is removed once', () => {
  const listeners = new Listeners<string, number>();
  const heard: number[] = [];
  const listener = (value: number) => void heard.push(value);
  const one = listeners.add('a', listener);
  const two = listeners.add('a', listener);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  listeners.notify('a', 1);
  expect(heard).toEqual([1]);
  two[Symbol.dispose]();
  expect(listeners.has('a')).toBe(false);
});

test('a listener may be removed or added during a notification', () => {
  const listeners = new Listeners<string, number>();
  const heard: string[] = [];
  const first = listeners.add('a', () => {
    first[Symbol.dispose]();
    listeners.add('a', (value) => heard.push(`late ${value}`));
  });
  listeners.add('a', (value) => heard.push(`second ${value}`));
  listeners.notify('a', 1);
  expect(heard).toEqual(['second 1']);
  listeners.notify('a', 2);
  expect(heard).toEqual(['second 1', 'second 2', 'late 2']);
});
