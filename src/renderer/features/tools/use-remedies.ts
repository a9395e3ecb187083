import { useNavigate } from 'react-router'
import { call, useAction } from '../../ipc'
import type { RemedyHandlers } from '../failures/explained-failure'
import { pointPath } from '../relay/paths'
import { type ToolHere, toolAt } from './sites'
import { toolPath } from './tool-status'
import { useShowFile } from './use-show-file'

/** What a tool's page can do about a failure: go to the plan, choose again, start the sandbox, or simply try again. */
export function useRemedies(tool: ToolHere, planId: string | undefined, retry: () => void): RemedyHandlers {
  const navigate = useNavigate()
  const showFile = useShowFile()
  const { mutate: startSandbox } = useAction('sandbox.open', { onSuccess: retry })
  const { mutate: startRelay } = useAction('relay.start', { invalidates: ['relay', 'tools'], onSuccess: retry })
  const choose = (): void => void navigate(toolPath(tool.id, 'configure', tool.site))
  const toPlan = (query: string) =>
    planId === undefined ? undefined : () => void navigate(`/plans/${planId}?${query}`)
  return {
    tryAgain: retry,
    pasteKey: toPlan('paste=1'),
    // Where the tool's own file went astray, the plan's address is not what is wrong.
    setAddress: tool.status === 'drifted' ? choose : toPlan('edit=1'),
    chooseModel: choose,
    choosePlan: choose,
    configure: choose,
    showFile: () => showFile(toolAt(tool.id, tool.site)),
    startSandbox: () => startSandbox({}),
    startRelay: () => startRelay({}),
    pointAtPlan: tool.routes.includes('gateway')
      ? () => void navigate(pointPath({ to: 'gateway', toolIds: [tool.id] }))
      : undefined,
    recheckVault: () => void call('app.recheckVault', {}).then(retry, retry),
  }
}
