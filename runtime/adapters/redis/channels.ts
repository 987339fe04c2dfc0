import type { Redis } from 'ioredis';

/** The channels with local listeners: subscribed with the first listener, unsubscribed with the last, renewed after a reconnect. */
export class Channels {
  readonly #redis: Redis;
  readonly #run: (command: Promise<unknown>) => void;
  readonly #listeners = new Map<string, number>();

  /** `run` runs each command: it awaits it if a caller needs that, and reports its failure. */
  constructor(redis: Redis, run: (command: Promise<unknown>) => void) {
    this.#redis = redis;
    this.#run = run;
    redis.on('ready', () => {
      const names = [...this.#listeners.keys()];
      if (names.length > 0) run(redis.subscribe(...names));
    });
  }

  join(channel: string, listening: Disposable): Disposable {
    const count = this.#listeners.get(channel) ?? 0;
    this.#listeners.set(channel, count + 1);
    if (count === 0) this.#run(this.#redis.subscribe(channel));
    let left = false;
    return {
      [Symbol.dispose]: () => {
        listening[Symbol.dispose]();
        if (!left) this.#leave(channel);
        left = true;
      },
    };
  }

  #leave(channel: string): void {
    const count = this.#listeners.get(channel) ?? 0;
    if (count > 1) {
      this.#listeners.set(channel, count - 1);
      return;
    }
    this.#listeners.delete(channel);
    this.#run(this.#redis.unsubscribe(channel));
  }
}
