import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageBytesMax } from '../../../../runtime/gateway/files/limits.ts';
import {
  fileBytesMax,
  imageBytesMax,
  packageBytesMax,
  packageEntriesMax,
  packageRatioMax,
  pdfBytesMax,
  pdfPagesMax,
  textBytesMax,
} from '../../../../runtime/gateway/inspection/limits.ts';
import { root } from '../../../architecture/tree.ts';

const page = readFileSync(join(root, 'docs/reference/attachments.md'), 'utf8');
const mebibyte = 1024 * 1024;

// proves: attachments.sizes
test('the limits of attachments are those of the reference', () => {
  expect(page).toContain(`\`image_mb\` ${imageBytesMax / mebibyte} MiB`);
  expect(page).toContain(`\`pdf_mb\` ${pdfBytesMax / mebibyte} MiB, \`pdf_pages\` ${pdfPagesMax}`);
  expect(page).toContain(`\`text_mb\` ${textBytesMax / mebibyte} MiB`);
  expect(page).toContain(`\`file_mb\` ${fileBytesMax / mebibyte} MiB`);
  const entries = packageEntriesMax.toLocaleString('en-US');
  expect(page).toContain(
    `${entries} entries, ${packageBytesMax / mebibyte} MiB unpacked, ${packageRatioMax} times`,
  );
  expect([imageBytesMax, pdfBytesMax, textBytesMax, messageBytesMax]).toEqual(
    [5, 10, 10, 25].map((megabytes) => megabytes * mebibyte),
  );
});
