import type { CheckView, PlanView, SetupView, Site, ToolView } from '@shared/contract'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { call, callKey, useCall } from '../../ipc'
import { createRuns, type Run } from '../../runs'
import { listSetups, setupKey, toToolLocation, userSite } from './setups'

/** Verifications by `setupKey`. Each sends one minimal real request with the tool's settings. */
const runs = createRuns<CheckView>()

export const useVerifications = runs.useRuns

export const forgetVerification = (setup: string): void => runs.set(setup, undefined)

/** Verifies a setup. First loads what could make the result obsolete, so that only later changes do. */
async function verifySetup(queries: QueryClient, id: string, site: Site): Promise<CheckView> {
  const loads = (['tools.list', 'plans.list'] as const).map((name) =>
    queries.refetchQueries({ queryKey: callKey(name, {}) }),
  )
  await Promise.all(loads)
  return call('tools.verify', toToolLocation(id, site))
}

/** Verifies tools of the user's home in sequence. */
export const verifyTools = (queries: QueryClient, ids: readonly string[]): Promise<void> =>
  runs.startAll(new Map(ids.map((id) => [id, () => verifySetup(queries, id, userSite)])))

export function useVerifyTool({ id, site = userSite }: Pick<ToolView, 'id'> & { readonly site?: Site }) {
  const queries = useQueryClient()
  const key = setupKey(id, site)
  const run = useVerifications((verifications) => verifications[key])
  const verify = (): void => void runs.start(key, () => verifySetup(queries, id, site))
  return {
    check: run?.state === 'done' ? run.result : undefined,
    isPending: run?.state === 'running',
    failure: run?.state === 'broken' ? run.failure : undefined,
    verify,
  }
}

export type VerifyState = ReturnType<typeof useVerifyTool>

/** Text with everything that makes a verification obsolete when it changes, such as key status and changed settings. */
function toDependencyKey({ applied, status, drift, conflicts }: SetupView, plans: readonly PlanView[]): string {
  const key = plans.find(({ id }) => id === applied?.planId)?.keys.find(({ id }) => id === applied?.keyId)
  return JSON.stringify([applied?.keyId, key?.status, status, drift, conflicts])
}

interface SetupSnapshot {
  readonly appliedAt: string | undefined
  readonly dependencyKey: string
}

function isObsolete(run: Run<CheckView> | undefined, setup: SetupSnapshot, lastSetup = setup): boolean {
  if (run?.state !== 'done' && run?.state !== 'broken') return false
  // A write from before the verification may become known only now. It does not make the result obsolete.
  const isNewWrite = lastSetup.appliedAt !== setup.appliedAt
  if (!isNewWrite && lastSetup.dependencyKey !== setup.dependencyKey) return true
  return run.state === 'broken' ? isNewWrite : setup.appliedAt !== undefined && setup.appliedAt > run.result.at
}

/** Discards the result of a verification after its setup, the files, or the key's status changed. */
export function useForgetOldVerifications(): void {
  const verifications = useVerifications()
  const hasVerifications = Object.values(verifications).some(Boolean)
  const { data: tools } = useCall('tools.list', {}, { enabled: hasVerifications })
  const { data: plans } = useCall('plans.list', {}, { enabled: hasVerifications })
  const setupsBefore = useRef(new Map<string, SetupSnapshot>())
  useEffect(() => {
    if (!tools || !plans) return
    for (const tool of tools)
      for (const setup of listSetups(tool)) {
        const key = setupKey(tool.id, setup.site)
        const snapshot = { appliedAt: setup.applied?.at, dependencyKey: toDependencyKey(setup, plans) }
        if (isObsolete(verifications[key], snapshot, setupsBefore.current.get(key))) forgetVerification(key)
        setupsBefore.current.set(key, snapshot)
      }
  }, [tools, plans, verifications])
}
