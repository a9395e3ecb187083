import type { MethodInput, PlanView, Route, SetupView, Site, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useCallback, useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import type { RemedyHandlers } from '../../failures'
import { call, useAction, useCall } from '../../ipc'
import { pointPath } from '../../paths'
import { useToastAction } from '../../toast-actions'
import { useModelQuotas } from '../usage/quota'
import { formatSiteKey, listSetups, readSite, type SiteTool, setupKey, toToolLocation, userSite } from './sites'
import { toolPath } from './tool-status'
import { useToolsStore } from './tools-store'

export function useRemedies(tool: SiteTool, planId: string | undefined, retry: () => void): RemedyHandlers {
  const navigate = useNavigate()
  const showFile = useShowFile()
  const { mutate: startSandbox } = useAction('sandbox.open', { onSuccess: retry })
  const { mutate: startRelay } = useAction('relay.start', { invalidates: ['relay', 'tools'], onSuccess: retry })
  const openConfigurePage = (): void => void navigate(toolPath(tool.id, 'configure', tool.site))
  const otherModelPath = useOtherModelPath(tool)
  const toPlan = (query: string) =>
    planId === undefined ? undefined : () => void navigate(`/plans/${planId}?${query}`)
  return {
    tryAgain: retry,
    pasteKey: toPlan('paste=1'),
    // If the tool's settings were changed, the wrong address comes from them and not from the plan.
    setAddress: tool.status === 'drifted' ? openConfigurePage : toPlan('edit=1'),
    chooseModel: () => void navigate(otherModelPath),
    choosePlan: openConfigurePage,
    chooseKey: openConfigurePage,
    useNewKey: openConfigurePage,
    configure: openConfigurePage,
    showFile: () => showFile(toToolLocation(tool.id, tool.site)),
    startSandbox: () => startSandbox({}),
    startRelay: () => startRelay({}),
    pointAtPlan: tool.routes.includes('gateway')
      ? () => void navigate(pointPath({ to: 'gateway', toolIds: [tool.id] }))
      : undefined,
    recheckVault: () => void call('app.recheckVault', {}).then(retry, retry),
  }
}

/** Path of the form with another model of the plan that has quota left, if there is one. */
export function useOtherModelPath({ id, site, applied }: SiteTool): string {
  const { data: plans = [] } = useCall('plans.list', {})
  const exhausted = useModelQuotas().listExhausted(applied?.planId ?? '')
  const models = plans.find((plan) => plan.id === applied?.planId)?.models ?? []
  const modelCode = models.find((code) => code !== applied?.modelCode && !exhausted.has(code))
  const path = toolPath(id, 'configure', site)
  return modelCode === undefined ? path : `${path}&model=${encodeURIComponent(modelCode)}`
}

/**
 * Shows a file of a tool in the file manager. Default: the file with the gateway address. Shows a failure in a toast.
 */
export function useShowFile(): (file: MethodInput<'tools.showFile'>) => void {
  return useToastAction('tools.showFile').mutate
}

/** Sends one minimal real request with the tool's settings, and stores the result. */
export function useVerifyTool({ id, site = userSite }: Pick<ToolView, 'id'> & { readonly site?: Site }) {
  const key = setupKey(id, site)
  const siteLabel = formatSiteKey(site)
  const check = useToolsStore((store) => store.verifications[key])
  const setVerification = useToolsStore((store) => store.setVerification)
  const { mutate, isPending, error } = useAction('tools.verify', {
    onMutate: () => setVerification(key, undefined),
    onSuccess: (view) => setVerification(key, view),
  })
  const verify = useCallback(() => mutate(toToolLocation(id, readSite(siteLabel))), [mutate, id, siteLabel])
  const failure: Failure | undefined = error?.failure
  return { check, isPending, failure, verify }
}

export type VerifyState = ReturnType<typeof useVerifyTool>

const findKeyStatus = ({ applied }: SetupView, plans: readonly PlanView[]): string | undefined =>
  plans.find(({ id }) => id === applied?.planId)?.keys.find(({ id }) => id === applied?.keyId)?.status

/** Text with everything that makes a verification obsolete when it changes, such as key status and changed settings. */
const toDependencyKey = (setup: SetupView, plans: readonly PlanView[]): string =>
  JSON.stringify([setup.applied?.keyId, findKeyStatus(setup, plans), setup.status, setup.drift, setup.conflicts])

/**
 * Discards the result of a verification after the tool's setup was written, its files were changed, or the status of
 * its key changed.
 */
export function useForgetOldVerifications(): void {
  const verifications = useToolsStore((store) => store.verifications)
  const hasVerifications = Object.values(verifications).some(Boolean)
  const { data: tools } = useCall('tools.list', {}, { enabled: hasVerifications })
  const { data: plans } = useCall('plans.list', {}, { enabled: hasVerifications })
  const setVerification = useToolsStore((store) => store.setVerification)
  const setupsBefore = useRef(new Map<string, { readonly at: string | undefined; readonly circumstances: string }>())
  useEffect(() => {
    if (!tools || !plans) return
    for (const tool of tools)
      for (const setup of listSetups(tool)) {
        const key = setupKey(tool.id, setup.site)
        const check = verifications[key]
        const appliedAt = setup.applied?.at
        const lastSetup = setupsBefore.current.get(key)
        const dependencyKey = toDependencyKey(setup, plans)
        setupsBefore.current.set(key, { at: appliedAt, circumstances: dependencyKey })
        // A write from before the verification may become known only now. It does not make the result obsolete.
        const hasOtherSetup =
          lastSetup !== undefined && lastSetup.at === appliedAt && lastSetup.circumstances !== dependencyKey
        const isWrittenAfterCheck = check !== undefined && appliedAt !== undefined && appliedAt > check.at
        if (check && (hasOtherSetup || isWrittenAfterCheck)) setVerification(key, undefined)
      }
  }, [tools, plans, verifications, setVerification])
}

/** Opens the form with a preselected route. Writes nothing. */
export function useOpenConfigureRoute(): (tool: Pick<SiteTool, 'id' | 'site'>, route: Route) => void {
  const navigate = useNavigate()
  const pickChoice = useToolsStore((store) => store.pick)
  return ({ id, site }, route) => {
    pickChoice(setupKey(id, site), { route })
    void navigate(toolPath(id, 'configure', site))
  }
}
