/** A promise that the test resolves. */
export function createDeferred<T>() {
  let answer: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => {
    answer = resolve
  })
  return { promise, answer }
}
