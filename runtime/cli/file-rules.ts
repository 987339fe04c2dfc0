import { type ClamdAddress, createScan } from '../adapters/clamav/scan.ts';
import type { FileRules } from '../gateway/ports.ts';
import type { Descriptors } from './descriptors.ts';

/** Where Debian's clamd listens. */
const usualClamd = '/run/clamav/clamd.ctl';

/** What `gateway.yaml` says of files that come in. */
export function toFileRules({ gateway: { attachments = {} } }: Descriptors): FileRules {
  const { message_mb, image_mb, pdf_mb, antivirus = false } = attachments;
  return {
    imageBytes: toBytes(image_mb),
    pdfBytes: toBytes(pdf_mb),
    messageBytes: toBytes(message_mb),
    scan: antivirus === false ? undefined : createScan(toAddress(antivirus)),
  };
}

function toBytes(mb: number | undefined): number | undefined {
  return mb === undefined ? undefined : Math.floor(mb * 1024 * 1024);
}

function toAddress(said: true | string): ClamdAddress {
  if (said === true) return { path: usualClamd };
  if (said.startsWith('/')) return { path: said };
  const { hostname, port } = new URL(`tcp://${said}`);
  return { host: hostname, port: Number(port) };
}
