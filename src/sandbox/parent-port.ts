/** The line to the app when the sandbox runs as its utility process. */
export interface ParentPort {
  readonly postMessage: (message: unknown) => void
  readonly on: (event: 'message' | 'close', listener: (event: unknown) => void) => unknown
}

function isParentPort(value: unknown): value is ParentPort {
  return typeof value === 'object' && value !== null && 'postMessage' in value && 'on' in value
}

/** The parent's port, or `undefined` in plain Node. */
export function findParentPort(): ParentPort | undefined {
  const candidate: unknown = Reflect.get(process, 'parentPort')
  return isParentPort(candidate) ? candidate : undefined
}

/** Whether a message from the parent asks to end: `{kind: 'stop'}` (Windows knows no signal that could be handled). */
export function asksToStop(event: unknown): boolean {
  const data: unknown = typeof event === 'object' && event !== null && 'data' in event ? event.data : undefined
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'stop'
}
