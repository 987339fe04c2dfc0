import { expect, test } from 'vitest';
import { checkAntivirus } from '../../../../../runtime/cli/commands/doctor/check-antivirus.ts';
import { matching } from '../../../../tools/matchers.ts';
import { startClamd } from '../../../../tools/services/clamd.ts';
import { config, inFolder } from '../../config/config-kit.ts';

inFolder();

const jwt = 'auth: { mode: jwt, issuer: "https://login.acme.io", audience: timeloom }';
const settings = (gateway: string, assembly = '') =>
  config({ 'assembly.yaml': assembly || '{}', 'gateway.yaml': gateway || '{}' });

// proves: files.scan-default
test('files are scanned with jwt, unless the operator switches it off', () => {
  const usual = { path: '/run/clamav/clamd.ctl' };
  expect(settings('').antivirus).toBeUndefined();
  expect(settings('', jwt).antivirus).toEqual(usual);
  expect(settings('', jwt).files.scan).toBeTypeOf('function');
  expect(settings('attachments: { antivirus: false }', jwt).antivirus).toBeUndefined();
  expect(settings('attachments: { antivirus: true }').antivirus).toEqual(usual);
  expect(settings('attachments: { antivirus: "clamav:3310" }').antivirus).toEqual({
    host: 'clamav',
    port: 3310,
  });
});

// proves: files.scan-default
test('the doctor checks clamd, and says what to do if it does not answer', async () => {
  const clamd = await startClamd();
  const gateway = `attachments: { antivirus: "127.0.0.1:${clamd.port}" }`;
  const says = `clamd answers at 127.0.0.1:${clamd.port}`;
  expect(await checkAntivirus(settings(gateway))).toEqual([{ what: 'antivirus', ok: true, says }]);
  await clamd[Symbol.asyncDispose]();
  const [found] = await checkAntivirus(settings(gateway));
  expect(found).toMatchObject({ what: 'antivirus', ok: false });
  expect(found?.says).toMatch(/start clamd, or set attachments.antivirus .* or to false/);
  expect(await checkAntivirus(settings(''))).toEqual([]);
  const off = await checkAntivirus(settings('attachments: { antivirus: false }', jwt));
  expect(off).toMatchObject([{ ok: true, says: matching(/^off: /) }]);
});

// proves: files.rules, attachments.sizes
test('operators can raise file limits in gateway.yaml', () => {
  const limits =
    'message_mb: 1024, image_mb: 8, pdf_mb: 0.5, text_mb: 1024, file_mb: 30, pdf_pages: 9';
  expect(settings(`attachments: { ${limits} }`).files).toMatchObject({
    messageBytes: 1024 ** 3,
    imageBytes: 8 * 1024 ** 2,
    pdfBytes: 512 * 1024,
    textBytes: 1024 ** 3,
    fileBytes: 30 * 1024 ** 2,
    pdfPages: 9,
  });
});
