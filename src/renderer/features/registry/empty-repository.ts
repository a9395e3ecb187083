import type { Failure } from '@shared/failure'
import { useRef, useState } from 'react'
import { CallError, call } from '../../ipc'
import { identifierOf } from '../resources/lookup'
import type { Json } from '../resources/resource'
import { useRefreshResources } from '../resources/use-run'
import { images } from './images'

/** How far the deletion of a repository with its images is. */
export interface Emptying {
  readonly state: 'idle' | 'running' | 'stopped' | 'failed' | 'done'
  readonly deleted: number
  readonly failure?: Failure
}

interface Where {
  readonly connectionId: string
  readonly repoId: string
}

/** How many images are asked for at a time. */
const atOnce = 100

/** A list that still gives images after so many has no end; the platform then says that the repository is not empty. */
const mostImages = 50_000

interface Steps {
  readonly where: Where
  readonly callId: string
  readonly isStopped: () => boolean
  readonly onDeleted: () => void
}

const nextImages = async ({ connectionId, repoId }: Where): Promise<readonly Json[]> => {
  const page = await call('resources.page', {
    connectionId,
    operation: 'registry.images.list',
    path: { repoId },
    query: { name: '' },
    size: atOnce,
  })
  return page.rows
}

/** Deletes image after image, and asks again until there are none. An image that is still there after its deletion ends it: it would go on for ever. */
async function deleteImages({ where, callId, isStopped, onDeleted }: Steps): Promise<void> {
  const { connectionId, repoId } = where
  const seen = new Set<string>()
  for (let rows = await nextImages(where); rows.length > 0; rows = await nextImages(where)) {
    const names = rows.flatMap((row) => identifierOf(row, images.identifier) ?? []).filter((name) => !seen.has(name))
    if (names.length === 0 || seen.size >= mostImages) return
    for (const imageName of names) {
      if (isStopped()) return
      seen.add(imageName)
      const query = { imageName }
      await call('resources.call', {
        connectionId,
        operation: 'registry.images.delete',
        path: { repoId },
        query,
        callId,
      })
      onDeleted()
    }
  }
}

const deleteRepository = ({ connectionId, repoId }: Where, callId: string): Promise<unknown> =>
  call('resources.call', { connectionId, operation: 'registry.repositories.delete', path: { repoId }, callId })

/** Deletes a repository, its images before it when there are any; can be stopped between two images. */
export function useEmptying(where: Where, onDone: () => void) {
  const refresh = useRefreshResources()
  const [emptying, setEmptying] = useState<Emptying>({ state: 'idle', deleted: 0 })
  const stopped = useRef(false)
  const callId = useRef('')
  const isStopped = (): boolean => stopped.current
  const end = (state: Emptying['state'], failure?: Failure): void =>
    setEmptying(({ deleted }) => ({ state, deleted, ...(failure && { failure }) }))
  const run = async (): Promise<void> => {
    stopped.current = false
    callId.current = crypto.randomUUID()
    setEmptying({ state: 'running', deleted: 0 })
    try {
      const onDeleted = (): void => setEmptying((before) => ({ ...before, deleted: before.deleted + 1 }))
      await deleteImages({ where, callId: callId.current, isStopped, onDeleted })
      if (isStopped()) return end('stopped')
      await deleteRepository(where, callId.current)
      end('done')
      onDone()
    } catch (error) {
      if (isStopped()) end('stopped')
      else end('failed', error instanceof CallError ? error.failure : undefined)
    } finally {
      refresh('lists')
    }
  }
  const stop = (): void => {
    stopped.current = true
    void call('calls.cancel', { callId: callId.current })
  }
  return { emptying, run: () => void run(), stop }
}
