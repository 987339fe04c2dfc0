import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import {
  packetsWaitingMax,
  subscriptionsPerSocketMax,
} from '../../../../runtime/gateway/socket/limits.ts';
import { SendBacklog } from '../../../../runtime/gateway/socket/send-backlog.ts';

test('all conversations of a slow connection wait without listeners of their own, until it has sent its queue', async () => {
  const connection = new EventEmitter();
  const backlog = new SendBacklog(connection);
  const stop = new AbortController();
  for (let packet = 0; packet < packetsWaitingMax; packet += 1) connection.emit('packetCreate');
  const listeners = () => connection.eventNames().map((name) => connection.listenerCount(name));
  const before = listeners();
  const waits = Array.from({ length: subscriptionsPerSocketMax }, () => backlog.room(stop.signal));
  expect(listeners()).toEqual(before);
  const over = new AbortController();
  const left = backlog.room(over.signal);
  over.abort(new Error('the client has left'));
  await expect(left).rejects.toThrow('the client has left');
  connection.emit('flush');
  await Promise.all(waits);
});
