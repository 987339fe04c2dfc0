import { Refusal } from '../../../runtime/base/refusal.ts';
import { userPropsSpace } from '../../../runtime/sdk/compile/context/user-props.ts';
import { createKeyValue } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { storageSpace } from '../../../runtime/sdk/compile/host/spaces.ts';
import { keysMax } from '../rpc/limits.ts';
import { type Handlers, on } from '../rpc/peer.ts';
import { AnyJson, hostMethods } from '../rpc/rpc-protocol.ts';
import { idsOf, type ServeParts, usersOf } from './served-process.ts';

/** Serves stored values to a process that is not trusted: space, key and value are checked here too. */
export function serveStorage(home: ServeParts): Handlers {
  const { storage } = home.loaded.host;
  const own = (space: string) => createKeyValue(storage, permittedSpace(home, space));
  return new Map([
    on(hostMethods.get, async ({ space, key }) => {
      const isUserProps = userPropsSpaces(home).includes(space);
      const readable = isUserProps ? createKeyValue(storage, space) : own(space);
      const value = await readable.get(key, AnyJson);
      return value === undefined ? {} : { value };
    }),
    on(hostMethods.set, ({ space, key, value, ...options }) => own(space).set(key, value, options)),
    on(hostMethods.delete, ({ space, key }) => own(space).delete(key)),
    on(hostMethods.keys, async ({ space, prefix }) => {
      const keys: string[] = [];
      for await (const key of own(space).keys(prefix)) {
        if (keys.length === keysMax) {
          throw new Refusal('too_large', `More than ${keysMax} keys start with “${prefix}”.`);
        }
        keys.push(key);
      }
      return keys;
    }),
  ]);
}

/** Props of these users can be read, and only they set them. */
function userPropsSpaces({ loaded, calls }: ServeParts): readonly string[] {
  const { tenant, project } = loaded.host;
  const bundle = loaded.definition.id;
  return usersOf(calls).map((user) => userPropsSpace({ tenant, project, bundle, user }));
}

/** Refusal `call_over` for the space of a user without a running call. */
function permittedSpace({ loaded, calls }: ServeParts, space: string): string {
  const spaces = [
    storageSpace(idsOf(loaded), 'bundle'),
    ...calls
      .operations()
      .flatMap(({ user }) =>
        user === undefined ? [] : [storageSpace({ ...idsOf(loaded), user }, 'user')],
      ),
    ...calls.all().flatMap((call) => {
      const ids = idsOf(loaded, call);
      return [
        storageSpace(ids, 'bundle'),
        storageSpace(ids, 'user'),
        storageSpace(ids, 'conversation'),
      ];
    }),
  ];
  if (spaces.includes(space)) return space;
  throw new Refusal('call_over', 'No running call may use these values.');
}
