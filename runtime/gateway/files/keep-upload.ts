import type { Sender } from '../../timeline/ports/store.ts';
import { contentOf } from '../inspection/content.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import type { AttachmentServices } from './host-attachments.ts';
import { assertClean, checkFile, type HostedFile, hostFile, safeName } from './host-file.ts';

type Parts = AttachmentServices & {
  readonly deps: Pick<GatewayDeps, 'blobs' | 'files'>;
  readonly closing: AbortSignal;
};
type WholeFile = { readonly name: string; readonly mime: string; readonly bytes: Uint8Array };

/** Checks and stores a file that came in one piece. Refusals `attachment_refused` and `busy`. */
export async function keepUpload(
  { deps, uploads, inspector, closing: signal }: Parts,
  { name, mime, bytes }: WholeFile,
  { sender }: { readonly sender: Sender },
): Promise<{ readonly upload: string; readonly hosted: HostedFile }> {
  const hosting = { ...deps, inspector, sender, signal };
  const file = { name: safeName(name), mime, content: contentOf(bytes) };
  const checked = await checkFile(file, hosting);
  await assertClean(checked, hosting);
  const hosted = await hostFile(checked, hosting);
  return { upload: await uploads.keep(hosted, { sender }), hosted };
}
