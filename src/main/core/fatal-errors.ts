/** Calls `end` once, on the first unhandled error. */
export function onFatalError(end: (error: unknown) => void): void {
  let isExiting = false
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      if (isExiting) return
      isExiting = true
      end(error)
    })
}
