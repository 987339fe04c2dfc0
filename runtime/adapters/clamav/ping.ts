import { askClamd, type ClamdAddress } from './clamd.ts';
import { pingMsMax } from './limits.ts';

/** Fault `SCANNER_UNREACHABLE` if no clamd answers. */
export async function pingClamd(address: ClamdAddress): Promise<void> {
  const { signal } = new AbortController();
  await askClamd(address, ping(), { signal, deadlineMs: pingMsMax, read: assertPong });
}

async function* ping(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('zPING\0');
}

function assertPong(answer: string): void {
  if (answer !== 'PONG') throw new Error(`it answers “${answer.slice(0, 100)}”, not PONG`);
}
