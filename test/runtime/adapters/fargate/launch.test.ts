import { expect, test } from 'vitest';
import { toRunRequest } from '../../../../runtime/adapters/fargate/aws/run-request.ts';
import {
  parsePayload,
  serializePayload,
} from '../../../../runtime/adapters/fargate/queue/payload.ts';
import {
  overridesBytesMax,
  payloadBytesMax,
} from '../../../../runtime/adapters/fargate/settings/limits.ts';
import { withoutListing } from '../../../../runtime/adapters/fargate/task/get-unlisted.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { openBucket } from './bucket.ts';

// proves: exec.fargate-launch

const { signal } = new AbortController();
const payload = {
  bucket: 'b',
  prefix: 'p',
  endpoint: null,
  folder: 'executions/cell-1',
  key: 'k',
  deadlineMs: 1,
  rooms: [{ path: '/out', bytesMax: 1, filesMax: 1 }],
};
const settings = {
  ...{ cluster: 'timeloom', taskDefinition: 'family', subnets: ['s'], securityGroups: ['g'] },
  ...{ bucket: 'b', prefix: 'p' },
};
const ordered = { launch: '{}', cpus: 1, memoryMb: 64, variables: {}, tags: {}, cell: 'cell-1' };

test('a launch payload that just fits a secret is whole, one byte more is refused', () => {
  const room = payloadBytesMax - Buffer.byteLength(serializePayload(payload)) + 1;
  const largest = { ...payload, prefix: 'p'.repeat(room) };
  expect(Buffer.byteLength(serializePayload(largest))).toBe(payloadBytesMax);
  expect(parsePayload(serializePayload(largest))).toEqual(largest);
  const larger = { ...payload, prefix: 'p'.repeat(room + 1) };
  expect(() => serializePayload(larger)).toThrow('launch payload too large');
});

test('overrides that just fit are sent whole, one byte more is refused', () => {
  const bytes = (launch: string) => {
    const { overrides } = toRunRequest({ ...ordered, launch }, settings, 1);
    return Buffer.byteLength(JSON.stringify(overrides));
  };
  const room = overridesBytesMax - bytes('');
  expect(bytes('x'.repeat(room))).toBe(overridesBytesMax);
  expect(() => bytes('x'.repeat(room + 1))).toThrow('container overrides too large');
  // A quote takes two bytes there: it is the text as it is sent that counts.
  expect(() => bytes('"'.repeat(room))).toThrow('container overrides too large');
});

test('a task has the processors of the platform and the memory its program asked for, and no more than it takes', () => {
  const sizes = (cpus: number, memoryMb: number) => {
    const { overrides } = toRunRequest({ ...ordered, cpus, memoryMb }, settings, 1);
    const executor = overrides?.containerOverrides?.find(({ name }) => name === 'executor');
    return [overrides?.cpu, overrides?.memory, executor?.memory];
  };
  expect(sizes(1, 512)).toEqual(['1024', '2048', 512]);
  expect(sizes(0.25, 512)).toEqual(['256', '2048', 512]);
  expect(sizes(0.25, 2_048)).toEqual(['512', '3072', 2_048]);
  expect(sizes(1, 7_552)).toEqual(['1024', '8192', 7_552]);
  expect(sizes(1, 7_553)).toEqual(['2048', '9216', 7_553]);
  expect(sizes(1, 16_384)).toEqual(['4096', '17408', 16_384]);
  expect(sizes(8, 20_000)).toEqual(['8192', '24576', 20_000]);
  expect(() => sizes(17, 512)).toThrow('no task size is large enough');
  expect(() => sizes(1, 200_000)).toThrow('no task size is large enough');
});

test('a task has no address that others reach, whatever its subnet gives', () => {
  const { networkConfiguration, launchType } = toRunRequest(ordered, settings, 1);
  expect(networkConfiguration?.awsvpcConfiguration?.assignPublicIp).toBe('DISABLED');
  expect(launchType).toBe('FARGATE');
});

test('each attempt at a task has a token of its own, which stays the same when it is sent again', () => {
  const tokens = [1, 1, 2].map((attempt) => toRunRequest(ordered, settings, attempt).clientToken);
  expect(tokens).toEqual(['cell-1-1', 'cell-1-1', 'cell-1-2']);
});

test('what a task may not list is not there yet, once it has read anything; before, it is a failure', async () => {
  const bucket = openBucket();
  const denied = Object.assign(new Error('Access Denied'), { name: 'AccessDenied' });
  const strict = withoutListing({
    put: bucket.put,
    get: async (key, options) => {
      const found = await bucket.get(key, options);
      if (found) return found;
      throw new Fault('BLOBS_UNAVAILABLE', {}, { cause: denied });
    },
  });
  await expect(strict.get('a', { signal })).rejects.toThrow('BLOBS_UNAVAILABLE');
  await strict.put('a', Buffer.from('x'), { sha256: '', signal });
  expect((await strict.get('a', { signal }))?.size).toBe(1);
  expect(await strict.get('b', { signal })).toBe(undefined);
});

test('another failure is never taken for something that is not there', async () => {
  const bucket = openBucket();
  await bucket.put('a', Buffer.from('x'), { sha256: '', signal });
  const strict = withoutListing({
    put: bucket.put,
    get: async (key, options) => {
      if (key === 'a') return bucket.get(key, options);
      throw new Fault('BLOBS_UNAVAILABLE', {}, { cause: new Error('no connection') });
    },
  });
  await strict.get('a', { signal });
  await expect(strict.get('b', { signal })).rejects.toThrow('BLOBS_UNAVAILABLE');
});
