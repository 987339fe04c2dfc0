type Listener<Value> = (value: Value) => void;

/** Listeners by key. Adding or removing one during a notification does not change who receives that value. */
export class Listeners<Key, Value> {
  readonly #rooms = new Map<Key, Set<Listener<Value>>>();

  /** The same function may be added twice; disposing is idempotent. */
  add(key: Key, listener: Listener<Value>): Disposable {
    const own: Listener<Value> = (value) => listener(value);
    const room = this.#rooms.get(key) ?? new Set();
    this.#rooms.set(key, room.add(own));
    return { [Symbol.dispose]: () => this.#remove(key, own) };
  }

  notify(key: Key, value: Value): void {
    for (const listener of [...(this.#rooms.get(key) ?? [])]) listener(value);
  }

  has(key: Key): boolean {
    return this.#rooms.has(key);
  }

  clear(): void {
    this.#rooms.clear();
  }

  #remove(key: Key, own: Listener<Value>): void {
    const room = this.#rooms.get(key);
    if (room?.delete(own) && room.size === 0) this.#rooms.delete(key);
  }
}
