import type { PlanView, ToolView, ToolWarning } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { callKey } from '../../ipc'
import { toast } from '../../ui/toast'
import { AddPlanFirst } from './add-plan-first'
import { AppliedNotice } from './applied-notice'
import { ConfigurePanel } from './configure-panel'
import { DriftPanel } from './drift-panel'
import { OtherSetups } from './other-setups'
import { RestorePanel } from './restore-panel'
import { setupKey, type ToolHere } from './sites'
import { ToolHeader } from './tool-header'
import { ToolOverview } from './tool-overview'
import { toolPath } from './tool-status'
import { useToolsStore } from './tools-store'
import { useVerify } from './use-verify'
import { VerifySection } from './verify-section'

type Face = 'overview' | 'configure' | 'undo' | 'review'

/** Which face of the page to show: the asked one where it makes sense, else what the tool's state calls for. */
function faceOf({ applied, status }: ToolHere, asked: string | null): Face {
  if (!applied) return 'configure'
  if (asked === 'undo' || asked === 'configure') return asked
  if (asked === 'review' && status === 'drifted') return asked
  return status === 'unreadable' ? 'configure' : 'overview'
}

/** Puts a tool's new state on the screen at once, before the list is asked for again. */
function useToolInCache(): (tool: ToolView) => void {
  const queries = useQueryClient()
  return (tool) =>
    queries.setQueryData<ToolView[]>(callKey('tools.list', {}), (list) =>
      list?.map((one) => (one.id === tool.id ? tool : one)),
    )
}

/** Takes over what a write made of a tool and goes back to its overview. */
function useSettle(here: ToolHere): (changed: ToolView) => void {
  const navigate = useNavigate()
  const forgetPicked = useToolsStore((store) => store.forgetPicked)
  const setVerification = useToolsStore((store) => store.setVerification)
  const putInCache = useToolInCache()
  return (changed) => {
    const key = setupKey(here.id, here.site)
    putInCache(changed)
    forgetPicked(key)
    setVerification(key, undefined)
    void navigate(toolPath(here.id, undefined, here.site), { replace: true })
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('[data-page-title]')?.focus()
  }
}

/** Another face of the same page begins at its title, as another page would. */
function useTitleFocus(face: Face): void {
  const last = useRef(face)
  useEffect(() => {
    if (last.current === face) return
    last.current = face
    // What was just written has a button to verify it, which has the focus.
    if (face !== 'overview') document.querySelector<HTMLElement>('[data-page-title]')?.focus()
  }, [face])
}

/** Verifies once when the page's address asks for it. */
function useAskedToVerify(tool: ToolHere, verify: () => void): void {
  const [query, setQuery] = useSearchParams()
  const isAsked = query.get('verify') === '1' && tool.applied !== undefined
  useEffect(() => {
    if (!isAsked) return
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete('verify')
        return next
      },
      { replace: true },
    )
    verify()
  }, [isAsked, setQuery, verify])
}

interface WrittenToolProps {
  readonly tool: ToolView
  /** The same tool at the site that the page is about. */
  readonly here: ToolHere
  readonly plans: readonly PlanView[]
}

/** A tool whose files this app writes: set it up, see where it calls, verify it, put it right, undo it. */
export function WrittenTool({ tool, here, plans }: WrittenToolProps) {
  const { t } = useTranslation('tools')
  const [query] = useSearchParams()
  const [fresh, setFresh] = useState<readonly ToolWarning[]>()
  const verifying = useVerify(here)
  const { verify } = verifying
  useAskedToVerify(here, verify)
  const settle = useSettle(here)
  const face = faceOf(here, query.get('do'))
  useTitleFocus(face)
  const { applied } = here
  const onApplied = (changed: ToolView, warnings: readonly ToolWarning[]): void => {
    settle(changed)
    setFresh(warnings)
  }
  const onUndone = (words: 'restored' | 'drift.letGone') => (changed: ToolView) => {
    settle(changed)
    setFresh(undefined)
    void toast(t(words, { tool: here.name }))
  }
  return (
    <>
      <ToolHeader tool={here} isOverview={face === 'overview'} verifying={verifying} />
      {face === 'undo' ? <RestorePanel tool={here} onRestored={onUndone('restored')} /> : null}
      {face === 'review' ? <DriftPanel tool={here} onApplied={onApplied} onLetGo={onUndone('drift.letGone')} /> : null}
      {face === 'configure' && plans.length === 0 ? <AddPlanFirst /> : null}
      {face === 'configure' && plans.length > 0 ? (
        <ConfigurePanel tool={here} plans={plans} onApplied={onApplied} />
      ) : null}
      {face === 'configure' && !applied && tool.setups.length > 0 ? <OtherSetups tool={tool} here={here} /> : null}
      {face === 'overview' && applied ? (
        <>
          {fresh ? (
            <AppliedNotice
              tool={here}
              applied={applied}
              warnings={fresh}
              onVerify={verifying.check || verifying.isPending ? undefined : verify}
            />
          ) : null}
          <VerifySection tool={here} plan={plans.find(({ id }) => id === applied.planId)} state={verifying} />
          <ToolOverview tool={here} applied={applied} />
          <OtherSetups tool={tool} here={here} />
        </>
      ) : null}
    </>
  )
}
