/** Calls `end` once, for the first error that nothing handles. Returns a function that stops watching. */
export function onFatalError(end: (error: unknown) => void): () => void {
  let isEnding = false
  const handle = (error: unknown): void => {
    if (isEnding) return
    isEnding = true
    end(error)
  }
  const events = ['uncaughtException', 'unhandledRejection'] as const
  for (const event of events) process.on(event, handle)
  return () => {
    for (const event of events) process.off(event, handle)
  }
}
