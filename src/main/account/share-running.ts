/** Starts what is asked for, unless the same is under way: then all who asked get its one outcome. */
export type ShareRunning<T> = (what: readonly unknown[], start: () => Promise<T>) => Promise<T>

/** One place where double clicks meet; `what` is compared as JSON. */
export function shareRunning<T>(): ShareRunning<T> {
  const running = new Map<string, Promise<T>>()
  return (what, start) => {
    const name = JSON.stringify(what)
    const begun = running.get(name)
    if (begun) return begun
    const outcome = start().finally(() => running.delete(name))
    running.set(name, outcome)
    return outcome
  }
}
