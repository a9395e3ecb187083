import type { Failure } from '@shared/failure'
import { useRef, useState } from 'react'
import { CallError, call } from '../../../ipc'
import { rowsOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import { useRefreshResources } from '../../resources/use-run'
import type { OpenMemory } from '../open-memory'
import { recordsCall } from '../records/use-records'

/** With how many records before and after are compared; the most that the sandbox gives, and more than a session makes. */
export const comparedLimit = 1000

/** What records are made of, and where they are looked for. */
export interface GenerateWish {
  readonly actorId: string
  readonly sessionId: string
  readonly strategyId: string
  readonly namespace: string
}

interface Made {
  readonly namespace: string
  readonly before: readonly Json[]
  readonly after: readonly Json[]
  /** What the platform answered to the call itself. */
  readonly answer: Json | undefined
}

/** The call that makes records of a session. */
const generateCall = ({ connection, memoryId }: OpenMemory, { actorId, sessionId, strategyId }: GenerateWish) => ({
  connectionId: connection.id,
  operation: 'memory.records.generateFromSession',
  path: { id: memoryId },
  query: { actorId, sessionId, longTermMemoryStrategyId: strategyId },
})

/** Makes records of a session, with those of the namespace before and after. */
export function useGenerate(open: OpenMemory) {
  const refresh = useRefreshResources()
  const [made, setMade] = useState<Made>()
  const [failure, setFailure] = useState<Failure>()
  const [isRunning, setIsRunning] = useState(false)
  const callId = useRef('')
  const ask = async (asked: Parameters<typeof call<'resources.call'>>[1]) => {
    callId.current = crypto.randomUUID()
    return (await call('resources.call', { ...asked, callId: callId.current })).data
  }
  const look = async (namespace: string) =>
    rowsOf(
      await ask(recordsCall({ connectionId: open.connection.id, memoryId: open.memoryId }, namespace, comparedLimit)),
    )
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    if (isRunning) return
    setIsRunning(true)
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      setFailure(error.failure)
    } finally {
      setIsRunning(false)
      refresh('things')
    }
  }
  return {
    ...{ made, failure, isRunning },
    generate: (wish: GenerateWish) =>
      guarded(async () => {
        setMade(undefined)
        const { namespace } = wish
        const before = await look(namespace)
        const answer = await ask(generateCall(open, wish))
        setMade({ namespace, before, answer, after: await look(namespace) })
      }),
    lookAgain: () =>
      guarded(async () => {
        if (made) setMade({ ...made, after: await look(made.namespace) })
      }),
    cancel: () => {
      if (isRunning) void call('calls.cancel', { callId: callId.current })
    },
  }
}
