import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Scope } from '../../../runtime/base/scope.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { connectTo, takeTurn } from './bad-input-desk.ts';

const mebibyte = 1024 * 1024;
/** MiB of the CSV; the long run takes 1,024. */
const mib = Number(process.env['TIMELOOM_UPLOAD_MB'] ?? 48);
/** The same 550 whether the file has 48 MiB or 1,024: what grows with the file would be more than the file. */
const heldMibMax = 800;
const requests = 4;
const row = `${'1234567,'.repeat(7)}abcdefg\n`;
const rows = mebibyte / row.length;

const bundle = (script: string) => `
  import { defineAgent, defineBundle } from 'timeloom/sdk';
  const main = defineAgent({
    id: 'main', instruction: 'Answer.', tools: ['exec_tools.*'],
    models: { decision: 'scripted:${script}' },
  });
  export const bundle = defineBundle({ id: 'desk', version: '1', agents: [main] });
`;

const program = `
lines = size = 0
with open(f"{OUTPUT_DIR}/attachments/big.csv", "rb") as file:
    while chunk := file.read(1 << 20):
        lines += chunk.count(bytes([10]))
        size += len(chunk)
print(f"lines={lines} size={size}")
`;

const settings = `attachments: { text_mb: ${mib}, message_mb: ${mib} }`;

async function openDesk(scope: Scope) {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-large-'));
  scope.defer(() => rm(dir, { recursive: true }));
  const script = join(dir, 'script.yaml');
  const call = { tool: 'exec_tools.execute_code_python', input: {} };
  const replies = [{ code: program, call }, { answer: 'Counted.' }];
  await writeFile(script, JSON.stringify({ replies }));
  await mkdir(join(dir, 'desk'));
  await writeFile(join(dir, 'desk/bundle.ts'), bundle(script));
  await writeFile(join(dir, 'gateway.yaml'), settings);
  return scope.own(
    await startServe({
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_BUNDLES: join(dir, 'desk'),
      TIMELOOM_CONFIG_DIR: dir,
      TIMELOOM_EXEC_MODE: 'process',
    }),
  );
}

/** Rows of the given number of MiB, made as they are sent. */
function csv(mebibytes: number): ReadableStream<Uint8Array> {
  const piece = Buffer.from(row.repeat(rows));
  let left = mebibytes;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      left -= 1;
      controller.enqueue(new Uint8Array(piece));
    },
  });
}

/** Bytes of memory that a process holds, and the most that it ever held. */
async function memoryOf(pid: number): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: kibibytes('VmRSS') * 1024, most: kibibytes('VmHWM') * 1024 };
}

async function upload(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'big.csv', mime: 'text/csv', size: mib * mebibyte });
  const begun = await fetch(`${url}/api/uploads`, { method: 'POST', headers, body });
  const { upload_id: id } = z.object({ upload_id: z.string() }).parse(await begun.json());
  for (let piece = 0; piece < requests; piece += 1) {
    const init = { method: 'PATCH', body: csv(mib / requests), duplex: 'half' };
    const offset = (piece * mib * mebibyte) / requests;
    const patched = await fetch(`${url}/api/uploads/${id}`, {
      ...init,
      headers: {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
      },
    });
    expect([patched.status, await patched.text()]).toEqual([204, '']);
  }
  return id;
}

// proves: attachments.large, files.rules
test('a large CSV is uploaded in pieces and read by a program, and the server holds little of it', {
  timeout: serverTestsMsMax + mib * 2_000,
}, async () => {
  await using scope = new Scope();
  const { url, pid } = await openDesk(scope);
  const before = await memoryOf(pid);
  const upload_id = await upload(url);
  const socket = await connectTo(url, {});
  scope.defer(() => void socket.disconnect());
  const attachments = [{ name: 'big.csv', upload_id }];
  const { data } = await takeTurn(socket, { conversation_id: 'conv_big', attachments });
  expect(data).toMatchObject({ reason: 'completed', text: 'Counted.' });
  const fetched = await fetch(`${url}/conversations/dev/dev/conv_big/fetch`, { method: 'POST' });
  expect(await fetched.text()).toContain(`lines=${mib * rows} size=${mib * mebibyte}`);
  const { most } = await memoryOf(pid);
  expect(most - before.now).toBeLessThan(heldMibMax * mebibyte);
});
