/** Creates a value with the first call and returns it with every call. `peek` returns it, or undefined before that. */
export function lazy<T>(create: () => T) {
  let created: T | undefined
  const get = (): T => {
    created ??= create()
    return created
  }
  return Object.assign(get, { peek: () => created })
}
