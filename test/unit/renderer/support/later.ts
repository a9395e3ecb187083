/** An answer that comes when the test says so. */
export function later<T>() {
  let answer: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => {
    answer = resolve
  })
  return { promise, answer }
}
