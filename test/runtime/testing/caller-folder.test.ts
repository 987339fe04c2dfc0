import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { callerFolder, folderBehind } from '../../../runtime/testing/caller-folder.ts';

test('the folder of a test is the folder of the first file outside the testing kit', () => {
  expect(callerFolder()).toBe(dirname(fileURLToPath(import.meta.url)));
});

test('the caller is found although frames of a linked package name its sources', () => {
  const stack = [
    'Error: where',
    '    at callerFolder (/srv/ann/timeloom/runtime/testing/caller-folder.ts:7:24)',
    '    at Module.openRuntime (/srv/ann/timeloom/runtime/testing/open-runtime.ts:21:30)',
    '    at /srv/ann/desk/bundles/ops-desk/bundle.test.ts:11:37',
    '    at file:///srv/ann/desk/node_modules/@vitest/runner/dist/chunk.js:302:11',
  ].join('\n');
  expect(folderBehind(stack)).toBe('/srv/ann/desk/bundles/ops-desk');
});

test('frames of Node and anonymous frames are ignored', () => {
  const stack = [
    'Error: where',
    '    at callerFolder (file:///srv/node_modules/timeloom/dist/runtime/testing/caller-folder.js:6:21)',
    '    at new Promise (<anonymous>)',
    '    at async node:internal/modules/run_main:106:5',
    '    at async file:///srv/desk/run.mjs:3:23',
  ].join('\n');
  expect(folderBehind(stack)).toBe('/srv/desk');
  expect(folderBehind('Error: where')).toBeUndefined();
});
