import { Refusal } from '../../../base/refusal.ts';
import { untilAborted, Work } from '../../../base/signal.ts';
import type { BundleEndpoint } from '../../../sdk/contract/runtime-bundle.ts';

type Verifying = {
  readonly request: Request;
  readonly bytes: Uint8Array;
  readonly closing: AbortSignal;
};

/** Lets the bundle verify the caller of a public endpoint. Refusal `unauthenticated`. */
export async function verifyCaller(
  { verifier }: BundleEndpoint,
  { request: { method, url, headers }, bytes, closing }: Verifying,
): Promise<void> {
  if (!verifier) throw new Refusal('unauthenticated', 'the caller cannot be verified');
  using work = new Work(closing, { deadlineMs: verifier.timeoutMs });
  const { signal } = work;
  const request = { method, url, headers: [...headers], body: bytes };
  const { status } = await untilAborted(verifier.answer(request, { signal }), signal);
  // The verifier has no input: of what follows the verification only a refused caller matters.
  if (status === 401) throw new Refusal('unauthenticated', 'the caller was not verified');
  if (status >= 500) throw new Refusal('busy', 'the caller could not be verified; try again later');
}
