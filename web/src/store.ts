// A store has one state. Only actions change it. After a change the store calls its listeners.

export interface Store<S, A> {
  readonly state: S;
  send(action: A): void;
  /** subscribe makes the store call listen after each change, until the returned function is called. */
  subscribe(listen: () => void): () => void;
}

/** createStore returns a store. reduce must not change its argument. */
export function createStore<S, A>(reduce: (state: S, action: A) => S, initial: S): Store<S, A> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get state() {
      return state;
    },
    send(action) {
      const next = reduce(state, action);
      if (next === state) return;
      state = next;
      for (const listen of [...listeners]) listen();
    },
    subscribe(listen) {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}
