import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../base/log.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import { bundleUserSpace } from '../../sdk/compile/host/spaces.ts';
import type { UserSecretKey, UserSecrets } from '../../sdk/contract/user-secrets.ts';

type Parts = {
  readonly storage: KeyValueStore;
  /** Secret of the installation from which the encryption key is derived. Read on first use. */
  readonly secret: () => Promise<string>;
  readonly log: Log;
};

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const purpose = 'timeloom user secrets, version 1';

const base64 = z.string().transform((text) => Buffer.from(text, 'base64'));
const Sealed = z.object({ v: z.literal(1), nonce: base64, tag: base64, data: base64 });

/**
 * User secrets in the key-value store of the installation.
 *
 * 1. The store never holds a plaintext value.
 * 2. A stored value is bound to its user, bundle and id: copied elsewhere, it cannot be decrypted.
 * 3. No space of a bundle's `ctx.storage` is one of these spaces.
 */
export function createUserSecrets({ storage, secret, log }: Parts): UserSecrets {
  const key = once(async () => deriveKey(await secret()));
  return {
    async get(place) {
      const sealed = Sealed.safeParse(await storage.get(spaceOf(place), place.id));
      if (!sealed.success) return undefined;
      const value = open(sealed.data, place, await key());
      const { user: _, ...facts } = place;
      if (value === undefined) log.warn('a user secret was encrypted with another key', facts);
      return value;
    },
    async set(place, value) {
      await storage.set(spaceOf(place), place.id, { value: seal(value, place, await key()) });
    },
    delete: (place) => storage.delete(spaceOf(place), place.id),
  };
}

function spaceOf(place: UserSecretKey): string {
  return bundleUserSpace('secret', place);
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, keyBytes));
}

function seal(value: string, place: UserSecretKey, key: Buffer) {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(bindingOf(place));
  const data = Buffer.concat([sealing.update(value, 'utf8'), sealing.final()]);
  const text = (bytes: Buffer) => bytes.toString('base64');
  return { v: 1, nonce: text(nonce), tag: text(sealing.getAuthTag()), data: text(data) };
}

/** Undefined if it was encrypted with another key, or for another user, bundle or id. */
function open(
  { nonce, tag, data }: z.infer<typeof Sealed>,
  place: UserSecretKey,
  key: Buffer,
): string | undefined {
  try {
    const opening = createDecipheriv(cipher, key, nonce).setAAD(bindingOf(place)).setAuthTag(tag);
    return Buffer.concat([opening.update(data), opening.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function bindingOf(place: UserSecretKey): Buffer {
  return Buffer.from(`${spaceOf(place)}/${encodeURIComponent(place.id)}`);
}

/** A failure is not cached: the next caller tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}
