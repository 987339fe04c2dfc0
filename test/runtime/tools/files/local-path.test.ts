import { expect, test } from 'vitest';
import { localPath } from '../../../../runtime/tools/files/workspace.ts';

// proves: paths.program-folders
test('attachments of later events have a folder of their event', () => {
  expect(localPath('fi:turn_1.user.attachments/a.csv')).toBe('attachments/a.csv');
  expect(localPath('fi:turn_1.external.followup.attachments/msg_1/a.csv')).toBe(
    'attachments/msg_1/a.csv',
  );
  expect(localPath('fi:turn_1.external.alert.attachments/msg_2/a.csv')).toBe(
    'attachments/msg_2/a.csv',
  );
});
