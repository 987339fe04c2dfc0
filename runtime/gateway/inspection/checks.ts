import { fileTypeFromBuffer } from 'file-type';
import { type Flaw, FlawError } from './flaw.ts';

/** A job of the thread. Third-party libraries parse these bytes in a thread, so that they cannot block the gateway. */
export type CheckJob =
  | { readonly kind: 'type'; readonly bytes: Uint8Array }
  | { readonly kind: 'package'; readonly bytes: Uint8Array }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array; readonly pagesMax: number }
  | { readonly kind: 'pdf-text'; readonly bytes: Uint8Array };

/** `mime` is the detected type; undefined: unknown. */
type Found = { readonly mime: string | undefined; readonly text?: string | undefined };
export type CheckResult = Found | { readonly flaw: Flaw };

const pdf = 'application/pdf';

/** Never rejects: a file that cannot be read is malformed. */
export async function check(job: CheckJob): Promise<CheckResult> {
  try {
    return await find(job);
  } catch (error) {
    if (error instanceof FlawError) return { flaw: error.flaw };
    return { flaw: flawOf(error) };
  }
}

async function find(job: CheckJob): Promise<Found> {
  const { buffer, byteOffset, byteLength } = job.bytes;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  switch (job.kind) {
    case 'type':
      return { mime: (await fileTypeFromBuffer(bytes))?.mime };
    case 'package':
      return { mime: await (await import('./package-check.ts')).checkPackage(bytes) };
    case 'pdf':
      await (await import('./pdf-check.ts')).checkPdf(bytes, job);
      return { mime: pdf };
    case 'pdf-text':
      return { mime: pdf, text: await (await import('./pdf-text.ts')).pdfText(job.bytes) };
  }
}

/** The archive reader reports unsafe names in the text of its errors. */
function flawOf(error: unknown): Flaw {
  const message = error instanceof Error ? error.message : '';
  if (/(absolute|relative) path|invalid characters in fileName/.test(message)) {
    return {
      reason: 'unsafe_names',
      message: 'contains an entry whose name points outside its folder',
    };
  }
  return { reason: 'malformed', message: 'is damaged; save it again and send that' };
}
