/** Calls of the window that take long, by the ids the window gave them. */
export interface RunningCalls {
  /** Runs one that `cancel` of the same id stops. */
  run<T>(callId: string, call: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Stops one; one that has ended is no error. */
  cancel(callId: string): void
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>()
  return {
    async run(callId, call) {
      const controller = new AbortController()
      running.set(callId, controller)
      try {
        return await call(controller.signal)
      } finally {
        if (running.get(callId) === controller) running.delete(callId)
      }
    },
    cancel: (callId) => running.get(callId)?.abort(),
  }
}
